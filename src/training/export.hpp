// Models as files: any of the family, and those that the lean half runs (CMANP, CMANP-AND) in its own form.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/model_data.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

// dim_x and dim_y as the lean half has them, and no more.
Config shape_of(const ModelConfig& config);

// The configuration as the lean half has it. Throws Error for models that it does not run.
Config to_runtime(const std::string& model, const ModelConfig& config);
ModelConfig from_runtime(const Config& config);

// What the lean half needs, and no more. `provenance` is JSON. Throws Error for models that it does not run.
runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance = "{}");
runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance,
                                const Normalisation& normalisation);

// Any model of the family: for CMANP and CMANP-AND the lean half's model file, for others the same format with their
// own name, configuration and tensors.
void save_model(const std::filesystem::path& path, const NeuralProcess& model, const std::string& provenance,
                const Normalisation& normalisation);

struct LoadedModel {
  std::shared_ptr<NeuralProcess> model;
  Normalisation normalisation;
};

// A model file of ours or a state dict of the public implementation (safetensors with its configuration).
LoadedModel open_model(const std::filesystem::path& path);

}  // namespace cmanp::training

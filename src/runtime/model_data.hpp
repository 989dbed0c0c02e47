// A model as its file holds it: configuration, normalisation, provenance and named float tensors, before packing.
// Parameter names are the public PyTorch implementation's own, so that weights travel both ways.
#pragma once

#include <cmanp/config.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

struct ModelData {
  Config config;
  Normalisation normalisation;
  std::string provenance = "{}";  // JSON: where the weights come from
  std::map<std::string, Tensor> tensors;
};

// The name and shape of every tensor that a model of this configuration has.
std::map<std::string, std::vector<std::size_t>> expected_tensors(const Config& config);

// Throws Error where numbers contradict each other (heads that do not divide d_model, a zero, a size beyond reason).
void validate(const Config& config);

// The configuration in a file's metadata, ours or the reference's state dict ("format": "reference-state-dict").
Config parse_config(const files::Safetensors& file);
Normalisation parse_normalisation(const files::Safetensors& file, const Config& config,
                                  const std::string& entry = "normalisation");  // absent: the identity

void write_model(const std::filesystem::path& path, const ModelData& data);

// Whether a file is a state dict of the public implementation (true) or a model of ours (false), of the version that
// this program reads; throws Error where it is neither.
bool is_reference(const files::Safetensors& file);

// Throws Error where a file is no state dict of the public implementation (safetensors, configuration in the metadata).
void check_reference(const files::Safetensors& file);

// What a model made of such a file says of where its weights come from, JSON.
std::string reference_provenance(const files::Safetensors& file);

// Takes over such a file.
ModelData import_reference(const std::filesystem::path& path);

// Untrained weights, by PyTorch's default initialisation: for benchmarks, tests and trying things out.
ModelData random_model(const Config& config, std::uint64_t seed);

}  // namespace cmanp::runtime

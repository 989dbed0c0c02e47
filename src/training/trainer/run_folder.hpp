// What a run's folder holds, for those that do not train: its settings and its model.
#pragma once

#include <filesystem>
#include <memory>

#include "runs/run_files.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

// The model of a run, by its newest checkpoint: averaged weights where the run has them and `averaged` asks for them.
struct TrainedModel {
  std::shared_ptr<NeuralProcess> model;
  Settings settings;
  std::int64_t step = 0;
};
TrainedModel load_run(const std::filesystem::path& folder, bool averaged = true);

}  // namespace cmanp::training

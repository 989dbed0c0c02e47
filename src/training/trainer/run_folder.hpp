// What a run's folder holds, for those that do not train: its settings and its model.
#pragma once

#include <filesystem>
#include <memory>

#include "runs/run_files.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

// The model of a run, by its newest checkpoint: the weights of its best evaluation where it keeps these, else averaged
// ones where it has them. Without `averaged`: the last ones as they are.
struct TrainedModel {
  std::shared_ptr<NeuralProcess> model;
  Settings settings;
  std::int64_t step = 0;       // of these weights
  std::int64_t last_step = 0;  // of the run
};
TrainedModel load_run(const std::filesystem::path& folder, bool averaged = true);

}  // namespace cmanp::training

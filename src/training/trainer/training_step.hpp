// One optimiser step after the other on a model. Knows no task and no files. Several processes share a batch's tasks,
// add up their gradients and move alike.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/problem.hpp"
#include "runs/schedule.hpp"
#include "training/distributed/group.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/optimiser.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

using runs::StepResult;

class TrainingStep {
 public:
  // Makes the model, by the settings' seed.
  explicit TrainingStep(const Settings& settings, Group group = {});

  // Step number `step`, counted from 0; its randomness depends on that and the seed only. Where loss or gradient are
  // not finite, or another process is gone (GroupError), the weights stay as they were. All have the same `batch`.
  StepResult operator()(const Batch& batch, std::int64_t step);

  double rate(std::int64_t step) const { return schedule_.at(step); }

  NeuralProcess& model() { return *model_; }
  Optimiser& optimiser() { return optimiser_; }
  const Optimiser& optimiser() const { return optimiser_; }

 private:
  double differentiate(const Batch& batch, std::int64_t step);  // the loss of the whole batch, and its gradients

  Settings settings_;
  Group group_;
  std::shared_ptr<NeuralProcess> model_;
  Optimiser optimiser_;
  runs::Schedule schedule_;
};

}  // namespace cmanp::training

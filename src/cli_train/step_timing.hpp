// How long a training step takes on this machine.
#pragma once

#include <vector>

#include "training/trainer/training_step.hpp"

namespace cmanp::cli_train {

// Batches of the task, of different sizes, as in training.
std::vector<training::Batch> some_batches(const training::Settings& settings);

// A step on each, which warms up as well.
void take_steps(training::TrainingStep& step, const std::vector<training::Batch>& batches);

// Seconds a step, out of `seconds` of them or more: the median of rounds over all batches.
double time_steps(training::TrainingStep& step, const std::vector<training::Batch>& batches, double seconds);

}  // namespace cmanp::cli_train

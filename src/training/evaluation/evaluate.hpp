// How well a model predicts an evaluation set.
#pragma once

#include <functional>
#include <optional>

#include "training/evaluation/evaluation_set.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

// The reference's metric: a mean a batch, then the plain mean over batches.
struct Evaluation {
  double log_likelihood = 0;             // per target point
  std::optional<double> standard_error;  // of that mean, over batches; none of one
  std::size_t batches = 0;
  std::size_t tasks = 0;
  std::optional<Limits> limits;  // of the same batches
};

// `progress` is told the number of finished batches and may end it by returning false; what is done then counts.
// `each`, if there is one, is given what the model says of every target by itself, which takes as much time again.
Evaluation evaluate(NeuralProcess& model, const EvaluationSet& set,
                    const std::function<bool(std::size_t)>& progress = {},
                    const std::function<void(const Batch&, const Prediction&)>& each = {});

}  // namespace cmanp::training

// A kind of task: it makes batches for training and evaluation and knows no model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "training/batch.hpp"
#include "training/tasks/limits.hpp"
#include "training/tasks/random.hpp"

namespace cmanp::training {

struct Range {
  double low = 0;
  double high = 1;
};

struct EvaluationBatch {
  Batch batch;
  std::optional<Limits> limits;  // where they are known
};

class Task {
 public:
  virtual ~Task() = default;

  // Says all that decides about the batches, and can be part of a file's name: "gp-rbf-paper-code-50x16".
  virtual std::string name() const = 0;
  virtual std::int64_t dim_x() const = 0;
  virtual std::int64_t dim_y() const = 0;

  // Where each dimension of x lies.
  virtual Range range() const = 0;

  // All that it draws comes from `random`; safe to call from several threads at once.
  virtual Batch next(Random& random) const = 0;
  virtual EvaluationBatch next_for_evaluation(Random& random) const { return {next(random), std::nullopt}; }
};

}  // namespace cmanp::training

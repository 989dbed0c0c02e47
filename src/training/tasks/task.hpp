// A kind of task: it makes batches for training and evaluation and knows no model.
#pragma once

#include <cstdint>
#include <limits>
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

  // Points x [n, dim_x] that might be observed, where a box would hold few such; else undefined.
  virtual torch::Tensor places() const { return {}; }

  // All that it draws comes from `random`; safe to call from several threads at once.
  virtual Batch next(Random& random) const = 0;
  virtual EvaluationBatch next_for_evaluation(Random& random) const { return {next(random), std::nullopt}; }

  // The two below say which batch it is, for tasks that go through a set of examples. Those that draw every batch anew
  // need not know.
  virtual Batch training_batch(std::uint64_t seed, std::uint64_t step) const {
    Random random(seed, Stream::training, step);
    return next(random);
  }
  virtual EvaluationBatch evaluation_batch(std::size_t /*index*/, Random& random) const {
    return next_for_evaluation(random);
  }

  // How many batches an evaluation set can have.
  virtual std::size_t evaluation_batches() const { return std::numeric_limits<std::size_t>::max(); }
};

}  // namespace cmanp::training

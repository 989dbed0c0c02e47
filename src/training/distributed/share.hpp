// A process's part of a batch: every process draws the whole batch, takes its own tasks, and draws for them what one
// process would. So several processes compute what one does, but for the order of sums.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/batch.hpp"
#include "training/random_source.hpp"

namespace cmanp::training {

struct Share {
  std::int64_t first = 0;  // task
  std::int64_t count = 0;
  std::int64_t whole = 0;  // tasks in the batch

  // Of the loss of the batch, a mean over its tasks.
  double weight() const { return static_cast<double>(count) / static_cast<double>(whole); }

  Batch of(const Batch& batch) const;

  // Gives a model, for these tasks, the numbers that `generator` would give it for the whole batch.
  std::shared_ptr<RandomSource> random(torch::Generator generator) const;
};

// The share of process `rank` of `size`, in order of ranks; shares differ by one task at most. Throws Error where some
// process would have none.
Share share_of(std::int64_t tasks, int rank, int size);

}  // namespace cmanp::training

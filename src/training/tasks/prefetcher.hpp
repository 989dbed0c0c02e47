// Training batches, made ahead in a thread of their own so that the trainer never waits for one.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ahead.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

class Prefetcher {
 public:
  // Gives the batches of steps `first`, `first` + 1, …; each depends on `seed` and its step only.
  Prefetcher(std::shared_ptr<const Task> task, std::uint64_t seed, std::uint64_t first, std::size_t ahead = 8)
      : batches_([task = std::move(task), seed](std::uint64_t step) { return task->training_batch(seed, step); }, first,
                 ahead) {}

  Batch next() { return batches_.next(); }  // throws what the task threw

 private:
  base::Ahead<Batch> batches_;
};

}  // namespace cmanp::training

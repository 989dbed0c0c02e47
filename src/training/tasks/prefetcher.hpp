// Training batches, made ahead in a thread of their own so that the trainer never waits for one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "training/tasks/task.hpp"

namespace cmanp::training {

class Prefetcher {
 public:
  // Gives the batches of steps `first`, `first` + 1, …; each depends on `seed` and its step only.
  Prefetcher(std::shared_ptr<const Task> task, std::uint64_t seed, std::uint64_t first, std::size_t ahead = 8);
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  ~Prefetcher();

  Batch next();  // throws what the task threw

 private:
  void run(std::uint64_t step);

  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cmanp::training

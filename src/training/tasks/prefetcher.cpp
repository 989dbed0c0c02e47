#include "training/tasks/prefetcher.hpp"

#include <utility>

namespace cmanp::training {

Prefetcher::Prefetcher(std::shared_ptr<const Task> task, std::uint64_t seed, std::uint64_t first, std::size_t ahead)
    : task_(std::move(task)), seed_(seed), ahead_(ahead), thread_([this, first] { run(first); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::run(std::uint64_t step) {
  try {
    for (;; ++step) {
      Batch batch = task_->training_batch(seed_, step);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || ready_.size() < ahead_; });
      if (stop_) return;
      ready_.push_back(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

Batch Prefetcher::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || !ready_.empty(); });
  if (ready_.empty()) std::rethrow_exception(failure_);
  Batch batch = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return batch;
}

}  // namespace cmanp::training

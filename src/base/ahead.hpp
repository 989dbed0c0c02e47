// Things that are made ahead of their use, in order, in a thread of their own: who needs the next one rarely waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace cmanp::base {

template <class Thing>
class Ahead {
 public:
  using Make = std::function<Thing(std::uint64_t number)>;

  // Gives make(first), make(first + 1), …; at most `ahead` of them are ready and waiting.
  Ahead(Make make, std::uint64_t first, std::size_t ahead)
      : make_(std::move(make)), ahead_(ahead), thread_([this, first] { run(first); }) {}
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Throws what `make` threw, after all that it had made before.
  Thing next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return failure_ || !ready_.empty(); });
    if (ready_.empty()) std::rethrow_exception(failure_);
    Thing thing = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return thing;
  }

 private:
  void run(std::uint64_t number) {
    try {
      for (;; ++number) {
        Thing thing = make_(number);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || ready_.size() < ahead_; });
        if (stop_) return;
        ready_.push_back(std::move(thing));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  Make make_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Thing> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cmanp::base

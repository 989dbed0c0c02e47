// The threads that share the work of a fused node.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

#include "base/parallel.hpp"
#include "base/workers.hpp"

namespace cmanp::training::fused {

class Crew {
 public:
  // Of this process. Its threads are started when there is work for them; one a core, where nobody says another number.
  static Crew& of_process();

  // Not while it is at work.
  void set_threads(std::size_t threads);
  std::size_t threads() const { return threads_; }

  // Calls task(0) … task(parts - 1), no more of them than there are threads, and returns when all are done; then throws
  // what the first to fail has thrown. Where the crew is at work already, the calling thread does all of it.
  template <class Task>
  void run(std::size_t parts, const Task& task) {
    if (parts == 1 || at_work_.test_and_set(std::memory_order_acquire)) {
      for (std::size_t part = 0; part < parts; ++part) task(part);
      return;
    }
    const AtEnd end{at_work_};
    Failure failure;
    workers().run([&](std::size_t part) {
      if (part < parts) failure.of([&] { task(part); });
    });
    failure.pass_on();
  }

 private:
  struct AtEnd {
    std::atomic_flag& at_work;
    ~AtEnd() { at_work.clear(std::memory_order_release); }
  };

  // The first exception of several threads.
  class Failure {
   public:
    template <class Part>
    void of(const Part& part) {
      try {
        part();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = std::current_exception();
      }
    }
    void pass_on() const {
      if (first_) std::rethrow_exception(first_);
    }

   private:
    std::mutex mutex_;
    std::exception_ptr first_;
  };

  base::Workers& workers();

  std::size_t threads_ = base::machine_threads();
  std::atomic_flag at_work_;
  std::unique_ptr<base::Workers> workers_;
};

}  // namespace cmanp::training::fused

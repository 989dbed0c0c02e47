// Threads that wait for work, and do it together. Starting a piece of work allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace cmanp::base {

class Workers {
 public:
  // The calling thread is one of them: `threads` 1 starts none.
  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  std::size_t size() const { return threads_.size() + 1; }

  // Calls task(0) … task(size() - 1), each on a thread of its own, and returns when all are done. Tasks must not throw.
  template <class Task>
  void run(const Task& task) {
    if (threads_.empty()) return task(std::size_t{0});
    start(&task, [](const void* t, std::size_t worker) { (*static_cast<const Task*>(t))(worker); });
    task(std::size_t{0});
    finish();
  }

 private:
  using Call = void (*)(const void* task, std::size_t worker);

  void start(const void* task, Call call);
  void finish();
  void stop();
  void loop(std::size_t worker);

  const void* task_ = nullptr;
  Call call_ = nullptr;  // null tells the threads to end
  std::atomic<std::size_t> round_{0};
  std::atomic<std::size_t> running_{0};
  std::vector<std::thread> threads_;
};

}  // namespace cmanp::base

#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace cmanp::base {

std::size_t machine_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_and_do = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(take_and_do);
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do it all
    }
    take_and_do();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cmanp::base

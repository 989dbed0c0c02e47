#include "base/workers.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <system_error>

namespace cmanp::base {
namespace {

// Work comes in pieces of a millisecond or less: waiting awake for some hundred microseconds saves most trips to the
// system, and yielding now and then leaves the core to others where there are more threads than cores.
constexpr int kYields = 300;
constexpr int kLooksPerYield = 300;

void wait_while(const std::atomic<std::size_t>& value, std::size_t old) {
  for (int y = 0; y < kYields; ++y) {
    for (int i = 0; i < kLooksPerYield; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
    }
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Workers::Workers(std::size_t threads) {
  try {
    for (std::size_t worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { loop(worker); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(fmt::format("cannot start {} threads: {}", threads, error.what()), ErrorKind::system);
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  if (threads_.empty()) return;
  start(nullptr, nullptr);
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::start(const void* task, Call call) {
  task_ = task;
  call_ = call;
  running_.store(threads_.size(), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Workers::finish() {
  for (std::size_t left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire)) {
    wait_while(running_, left);
  }
}

void Workers::loop(std::size_t worker) {
  for (std::size_t round = 0;; ++round) {
    wait_while(round_, round);
    if (call_ == nullptr) return;
    call_(task_, worker);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

}  // namespace cmanp::base

#include "training/trainer/threads.hpp"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <thread>

namespace cmanp::training {

std::int64_t use_threads(std::int64_t threads, int processes) {
  if (threads == 0) threads = std::max<std::int64_t>(1, std::thread::hardware_concurrency() / processes);
  at::set_num_threads(static_cast<int>(threads));
  // libtorch may come with OpenBLAS or with another library: asked for by name, not linked.
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
  return threads;
}

}  // namespace cmanp::training

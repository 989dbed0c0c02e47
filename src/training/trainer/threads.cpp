#include "training/trainer/threads.hpp"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "training/fused/crew.hpp"

namespace cmanp::training {

std::int64_t use_threads(std::int64_t threads, int processes) {
  if (threads == 0) threads = std::max<std::int64_t>(1, static_cast<std::int64_t>(base::machine_threads()) / processes);
  fused::Crew::of_process().set_threads(static_cast<std::size_t>(threads));
  at::set_num_threads(1);
  // libtorch may come with OpenBLAS or with another library: asked for by name, not linked.
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
  return threads;
}

void use_threads_of_libtorch(std::int64_t threads) { at::set_num_threads(static_cast<int>(threads)); }

}  // namespace cmanp::training

// What libraries of the training half read from the environment when they are loaded, so that it must be said before.
#pragma once

#include <cstdlib>

namespace cmanp::cli {

// False where it was said already, by the user or by us.
inline bool say_if_unsaid(const char* name, const char* value) {
  return std::getenv(name) == nullptr && setenv(name, value, 0) == 0;
}

// How libtorch's threads wait for work. By themselves they do so by spinning, which on a machine that does anything
// else costs dozens of times what waking up does: who spins uses up its turn, and the system then lets the others go
// first. So they look a thousand times, and then sleep. (Fused work has threads of its own, base/workers.hpp.)
inline bool ask_for_sleeping_threads() {
  return say_if_unsaid("OMP_WAIT_POLICY", "passive") && say_if_unsaid("GOMP_SPINCOUNT", "1000");
}

// Which kernels OpenBLAS takes. It knows processors by name, and takes those of 2004 for one that is newer than itself:
// half as fast. What the processor can do says more.
inline bool ask_for_wide_products() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return say_if_unsaid("OPENBLAS_CORETYPE", "SkylakeX");
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return say_if_unsaid("OPENBLAS_CORETYPE", "Haswell");
  }
#endif
  return false;
}

// For programs started from here on; false where nothing was left to say.
inline bool prepare_environment() {
  const bool threads = ask_for_sleeping_threads(), products = ask_for_wide_products();
  return threads || products;
}

}  // namespace cmanp::cli

// What this machine could do at best: the yardstick that benchmarks hold their figures against.
#pragma once

#include <cstddef>

namespace cmanp::kernels {

// Float multiply-adds in registers on `threads` threads at once, in GFLOP/s (two per multiply-add); the best of several
// short runs.
double peak_gflops(std::size_t threads);

}  // namespace cmanp::kernels

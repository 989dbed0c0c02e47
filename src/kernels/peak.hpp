// What this machine could do at best: the yardstick that benchmarks hold their figures against.
#pragma once

#include <cstddef>

#include "base/workers.hpp"

namespace cmanp::kernels {

// Float multiply-adds in registers on `threads` threads at once.
class Peak {
 public:
  explicit Peak(std::size_t threads) : workers_(threads) {}

  // In GFLOP/s (two per multiply-add), in a run of some milliseconds.
  double gflops();

 private:
  base::Workers workers_;
};

}  // namespace cmanp::kernels

#include "training/trainer/memory.hpp"

#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cmanp::training {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestMapped = 32 << 20;  // bytes; more is refused
  mallopt(M_MMAP_THRESHOLD, kLargestMapped);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace cmanp::training

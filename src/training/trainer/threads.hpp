// Threads of libtorch and of the linear algebra library under it.
#pragma once

#include <cstdint>

namespace cmanp::training {

// `threads` for libtorch (0: one a core, shared by the `processes` of this machine), one for OpenBLAS: both at once get
// in each other's way, several times slower. Returns the number of threads used.
std::int64_t use_threads(std::int64_t threads, int processes = 1);

}  // namespace cmanp::training

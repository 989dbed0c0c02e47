// Threads of training: of the fused nodes, of libtorch and of the linear algebra library under it.
#pragma once

#include <cstdint>

namespace cmanp::training {

// `threads` for the fused nodes (0: one a core, shared by the `processes` of this machine), one for all that libtorch
// and OpenBLAS do between them: small things, which threads of their own would only disturb. Returns the number used.
std::int64_t use_threads(std::int64_t threads, int processes = 1);

// The same number for what libtorch does by itself, where that is most of the work: models of events, plain forms.
void use_threads_of_libtorch(std::int64_t threads);

}  // namespace cmanp::training

// How much memory this machine has left.
#pragma once

namespace cmanp::base {

// In bytes, without what can be had by swapping; infinite where the system does not say.
double free_memory();

}  // namespace cmanp::base

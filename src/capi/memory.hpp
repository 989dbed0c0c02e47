// What memory takes, in C's words.
#pragma once

#include <cmanp/cmanp.h>

#include <cmanp/model.hpp>

namespace cmanp::capi {

inline cmanp_memory memory_of(const Memory& memory) {
  return {memory.weights, memory.state, memory.cache, memory.scratch};
}

}  // namespace cmanp::capi

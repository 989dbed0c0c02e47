// What stands behind the opaque handles of the C API.
#pragma once

#include <cmanp/cmanp.h>

#include <cmanp/agent.hpp>
#include <cmanp/context.hpp>
#include <cmanp/model.hpp>

struct cmanp_model {
  cmanp::Model model;
};

struct cmanp_context {
  cmanp::Context context;
};

struct cmanp_agent {
  cmanp::Agent agent;
};

namespace cmanp::capi {

// 0 stands for the default.
inline ContextOptions options_of(std::size_t threads, std::size_t block) {
  ContextOptions options;
  if (threads != 0) options.threads = threads;
  if (block != 0) options.block = block;
  return options;
}

inline cmanp_memory memory_of(const Memory& memory) {
  return {memory.weights, memory.state, memory.cache, memory.scratch};
}

}  // namespace cmanp::capi

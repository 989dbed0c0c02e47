// The option structs of the C API, which begin with their size: those of an older header are shorter, those of a newer
// one longer than here.
#pragma once

#include <cmanp/cmanp.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmanp/agent.hpp>
#include <cmanp/completion.hpp>
#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cmanp/predictor.hpp>
#include <cstring>
#include <type_traits>

#include "capi/frames.hpp"
#include "capi/guard.hpp"

namespace cmanp::capi {

// What the caller gave over the defaults. What only a newer library knows has to be zero, which asks for nothing.
template <typename Options>
Options over_defaults(Options options, const Options* given) {
  static_assert(std::is_trivially_copyable_v<Options> && std::is_standard_layout_v<Options>);
  if (given == nullptr) return options;
  constexpr std::size_t kLargest = 4096;  // beyond it, rather no size at all
  const std::size_t size = given->size;
  if (size < sizeof(size) || size > kLargest) {
    throw Error(fmt::format("options of size {}; set their size to that of the struct", size), ErrorKind::argument);
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Options) &&
      std::any_of(bytes + sizeof(Options), bytes + size, [](auto byte) { return byte != 0; })) {
    throw Error("options that this version of the library does not know", ErrorKind::argument);
  }
  std::memcpy(&options, given, std::min(size, sizeof(Options)));
  return options;
}

inline cmanp_context_options options_of(std::size_t threads, std::size_t block) {
  cmanp_context_options options = CMANP_CONTEXT_OPTIONS_INIT;
  options.threads = threads;
  options.block = block;
  return options;
}

inline ContextOptions context_options(const cmanp_context_options* wanted) {
  const cmanp_context_options chosen = over_defaults<cmanp_context_options>(CMANP_CONTEXT_OPTIONS_INIT, wanted);
  ContextOptions options;
  if (chosen.threads != 0) options.threads = chosen.threads;
  if (chosen.block != 0) options.block = chosen.block;
  if (chosen.x_frame != nullptr || chosen.y_frame != nullptr) {
    given(chosen.x_frame, "x_frame");  // both or neither
    given(chosen.y_frame, "y_frame");
    options.frame = frame_between(range_of_pairs({chosen.x_frame, chosen.x_frame_count}, "x_frame"),
                                  range_of_pairs({chosen.y_frame, chosen.y_frame_count}, "y_frame"));
  }
  options.window = chosen.window;
  options.seasons = chosen.no_seasons == 0;
  options.widths = chosen.no_widths == 0;
  if (chosen.range != nullptr) options.range = range_of_pairs({chosen.range, chosen.range_count}, "range");
  return options;
}

inline SampleOptions sample_options(const cmanp_sample_options* given) {
  const cmanp_sample_options chosen = over_defaults<cmanp_sample_options>(CMANP_SAMPLE_OPTIONS_INIT, given);
  return {chosen.draws, chosen.block, chosen.seed, chosen.growth};
}

inline CompletionOptions completion_options(const cmanp_completion_options* given) {
  const cmanp_completion_options chosen = over_defaults<cmanp_completion_options>(CMANP_COMPLETION_OPTIONS_INIT, given);
  CompletionOptions options;
  options.tile = chosen.tile;
  options.samples = chosen.samples;
  if (chosen.block != 0) options.block = chosen.block;
  options.seed = chosen.seed;
  if (chosen.threads != 0) options.threads = chosen.threads;
  options.grain = chosen.grain != 0;
  return options;
}

inline Policy policy_of(cmanp_policy policy) {
  switch (policy) {
    case CMANP_UCB:
      return Policy::ucb;
    case CMANP_GREEDY:
      return Policy::greedy;
    case CMANP_THOMPSON:
      return Policy::thompson;
  }
  throw Error("policy is none of the three", ErrorKind::argument);
}

inline AgentOptions agent_options(const cmanp_agent_options* given) {
  const cmanp_agent_options chosen = over_defaults<cmanp_agent_options>(CMANP_AGENT_OPTIONS_INIT, given);
  return {policy_of(chosen.policy), chosen.exploration, chosen.seed};
}

}  // namespace cmanp::capi

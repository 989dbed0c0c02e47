// Contexts that rest on their latest observations alone (ContextOptions::window): these are kept besides the state, and
// the state is made anew of them when they have doubled, or when x goes where it does not reach. Its frame is found
// anew then, if it was found before: a stream may go on for ever, and drift.
//
// When that happens depends on the observations alone, not on how many of them come in one call.
#pragma once

#include <memory>
#include <span>

#include "runtime/engine.hpp"

namespace cmanp::runtime {

inline bool rolls(const ContextEngine& engine) { return engine.options().window > 0; }

// Throws Error where there can be no such window.
void check_window(const ContextOptions& options);

// Bytes beside the state, at most.
std::size_t window_bytes(const ContextOptions& options, const Config& config);

// Points in the data's units. Keeps nothing of the call where one is refused.
void observe_rolling(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y);

}  // namespace cmanp::runtime

// What several say about the same targets, as one answer: each of them is right with equal probability, so that the
// deviation holds their own and how far they disagree.
#pragma once

#include <span>

#include "forecasts/forecast.hpp"

namespace cmanp::forecasts {

// Of one window; there is one at least, and all have the same targets.
Forecast mixture(std::span<const Forecast> answers);

}  // namespace cmanp::forecasts

// A Gaussian process as a rival: what somebody would fit to a single series who has no model.
#pragma once

#include "data/windows.hpp"
#include "forecasts/forecast.hpp"

namespace cmanp::forecasts {

// A squared exponential, with a season a periodic kernel beside it, and white noise, by the greatest marginal
// likelihood of the context's latest points. `step` and `season` (0: none) are lengths along x.
Forecast gaussian_process(const data::Window& window, double step, double season);

}  // namespace cmanp::forecasts

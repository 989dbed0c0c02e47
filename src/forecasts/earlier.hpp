// Forecasts that could have been made earlier, of what has come since: they say by how much a forecaster's deviations
// are off on this very series. One that was not trained on it cannot know.
#pragma once

#include <vector>

#include "data/windows.hpp"

namespace cmanp::forecasts {

// Whether all that is asked for lies behind what is known.
bool looks_ahead(const data::Window& window);

// The same window as it was one or more horizons ago, the latest first, so that what it asks for has come by now. None
// where it is no forecast, or where little would be left to go by.
std::vector<data::Window> earlier_ones(const data::Window& window);

// Of one window's: errors in deviations, the sum over forecasts of their mean squares, and how many forecasts.
struct EarlierErrors {
  double squares = 0, count = 0;
};

// By how much deviations are to be wider, a number a window. A few forecasts say little: what is believed of a window
// beforehand is what all of them say, and of all of them what it is on tables of any kind (docs/tables.md).
std::vector<double> widths_by(const std::vector<EarlierErrors>& errors);

}  // namespace cmanp::forecasts

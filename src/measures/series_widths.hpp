// Some series are harder than a model thinks, others easier: factors to the deviations of each, by its errors in
// windows that weights were not fitted to. A few windows say little about a series: its factor is drawn towards that of
// all, by as much as windows of the same series differ (empirical Bayes on logarithms).
#pragma once

#include <cstddef>
#include <vector>

#include "measures/judgement.hpp"

namespace cmanp::measures {

struct WindowErrors {
  std::size_t series = 0;  // 0, 1, …
  std::vector<double> z;   // errors in units of their deviations
};

struct SeriesWidths {
  std::vector<double> of_series;         // factors to deviations; 1 where a series has no window
  BandScales band_scales = kPlainBands;  // to the width of each band beside that, of all series
};

// Bands hold their shares of each window's errors when its series' factor comes from the other windows.
SeriesWidths widths_by(const std::vector<WindowErrors>& windows, std::size_t series);

}  // namespace cmanp::measures

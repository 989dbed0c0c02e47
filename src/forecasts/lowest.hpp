// What a series cannot fall below: of counts, and of anything that was at 0 and never below it, such as rain, that is
// 0. Bands of a normal distribution know of no such end.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/series.hpp"

namespace cmanp::forecasts {

inline double lowest_of(const data::Series& series) {
  bool whole = true;
  double least = std::numeric_limits<double>::infinity();
  for (const double value : series.values) {
    if (std::isnan(value)) continue;
    whole = whole && value == std::floor(value);
    least = std::min(least, value);
  }
  const bool ends_at_zero = std::isfinite(least) && (least == 0 || (least > 0 && whole));
  return ends_at_zero ? 0 : -std::numeric_limits<double>::infinity();
}

}  // namespace cmanp::forecasts

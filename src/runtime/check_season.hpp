// Whether a season that comes from outside can be one, of a file or of a caller.
#pragma once

#include <algorithm>
#include <cmanp/season.hpp>
#include <cmath>
#include <cstddef>

#include "base/finite.hpp"

namespace cmanp::runtime {

inline bool makes_sense(const Season& season, std::size_t dim_y) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return season.column < dim_y && finite(season.origin) && finite(season.period) && base::positive(season.period) &&
         finite(season.widening) && season.widening >= 1 && season.cosine.size() == season.sine.size() &&
         std::all_of(season.cosine.begin(), season.cosine.end(), finite) &&
         std::all_of(season.sine.begin(), season.sine.end(), finite);
}

}  // namespace cmanp::runtime

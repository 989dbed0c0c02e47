// Whether a season or a check of widths that comes from outside can be one, of a file or of a caller.
#pragma once

#include <algorithm>
#include <cmanp/season.hpp>
#include <cmanp/width_check.hpp>
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

inline bool makes_sense(const WidthCheck& check) {
  return std::isfinite(check.factor) && base::positive(check.factor) && std::isfinite(check.level) &&
         check.level >= 0 && std::isfinite(check.least) && check.least >= 0;
}

}  // namespace cmanp::runtime

// Where the heads of an attention in relative coordinates start: each looks at its neighbourhood through a length and a
// band of frequencies of its own, from narrow to wide.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cmanp::runtime {

inline constexpr double kStartNullScore = -2, kStartNullValue = 0.3;

// Logarithms, in the units of the grid's spacing.
struct HeadBand {
  double length, slowest, fastest;
};

// Measured at a spacing of 0.105, for four heads; other spacings scale them, other numbers of heads lie between.
inline HeadBand head_band(std::size_t head, std::size_t heads, double spacing) {
  constexpr double kSpacing = 0.105;
  constexpr double kLengths[] = {0.12, 0.25, 0.6, 2}, kSlowest[] = {0.4, 0.6, 1, 1.5}, kFastest[] = {6, 12, 24, 40};
  const double at = heads == 1 ? 1.5 : 3 * static_cast<double>(head) / static_cast<double>(heads - 1);
  const auto below = std::min<std::size_t>(2, static_cast<std::size_t>(at));
  const double share = at - static_cast<double>(below), unit = std::log(spacing / kSpacing);
  const auto between = [&](const double(&table)[4]) {
    return (1 - share) * std::log(table[below]) + share * std::log(table[below + 1]);
  };
  return {between(kLengths) + unit, between(kSlowest) - unit, between(kFastest) - unit};
}

}  // namespace cmanp::runtime

// Numbers that can be computed with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>

namespace cmanp::base {

// Above zero, and with a finite inverse: a subnormal number has none.
inline bool positive(double value) { return value > 0 && std::isnormal(value); }

// The place of the first that is not finite; the size where all are.
template <std::ranges::random_access_range Values>
std::size_t first_not_finite(const Values& values) {
  const auto found = std::ranges::find_if_not(values, [](auto value) { return std::isfinite(value); });
  return static_cast<std::size_t>(found - std::ranges::begin(values));
}

template <std::ranges::random_access_range Values>
bool all_finite(const Values& values) {
  return first_not_finite(values) == std::ranges::size(values);
}

}  // namespace cmanp::base

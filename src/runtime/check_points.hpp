// Points are checked before a network sees them: whole rows, and numbers that floats can take.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/weights.hpp"

namespace cmanp::runtime {

// The largest number, normalised, that a network is given: embedders and norms square it, and beyond this floats
// overflow.
inline constexpr double kLargest = 1e15;

// The number of points, whose dimensions are the normalisation's. Throws Error that names the point and the channel of
// a number that is not finite or too large.
std::size_t count_points(const Normalisation& normalisation, std::span<const double> x);
std::size_t count_points(const Normalisation& normalisation, std::span<const double> x, std::span<const double> y);

inline std::size_t count_points(const Weights& weights, std::span<const double> x) {
  return count_points(weights.normalisation, x);
}
inline std::size_t count_points(const Weights& weights, std::span<const double> x, std::span<const double> y) {
  return count_points(weights.normalisation, x, y);
}

}  // namespace cmanp::runtime

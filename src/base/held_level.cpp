#include "base/held_level.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace cmanp::base {
namespace {

// y in the order of x.
std::vector<double> along(std::span<const double> x, std::span<const double> y) {
  if (std::is_sorted(x.begin(), x.end())) return {y.begin(), y.end()};
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> result;
  result.reserve(y.size());
  for (const std::size_t i : order) result.push_back(y[i]);
  return result;
}

// How far all of these are on the side of the first; 0: not all are there.
double reached(std::span<const double> distances) {
  double least = std::abs(distances[0]);
  for (const double distance : distances) {
    if (std::signbit(distance) != std::signbit(distances[0])) return 0;
    least = std::min(least, std::abs(distance));
  }
  return least;
}

}  // namespace

Scale widened_for_levels(Scale scale, std::span<const double> x, std::span<const double> y) {
  std::vector<double> distances = along(x, y);
  for (double& value : distances) value = scale(value);
  double farthest = 0;
  for (std::size_t i = 0; i + kHeld <= distances.size(); ++i) {
    farthest = std::max(farthest, reached(std::span(distances).subspan(i, kHeld)));
  }
  if (farthest > kFar && std::isfinite(farthest)) scale.scale *= farthest / kNear;
  return scale;
}

std::size_t first_held(std::span<const double> distances) {
  for (std::size_t i = 0; i + kHeld <= distances.size(); ++i) {
    if (reached(distances.subspan(i, kHeld)) > kFar) return i + kHeld - 1;
  }
  return distances.size();
}

}  // namespace cmanp::base

#include "base/frame.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/finite.hpp"

namespace cmanp::base {
namespace {

constexpr double kWidth = 4, kWidestFactor = 4;
constexpr double kPlaces = 100;  // more of them make the frame wider

// Quantiles of a normal: deviations between the quartiles, and between 5 % and 95 %.
constexpr double kBetweenQuartiles = 1.3489795003921634, kBetweenTails = 3.2897072539029435;
constexpr double kTailShare = 0.25;
constexpr double kMeanDistance = 0.7978845608028654;  // of a standard normal from its median
constexpr double kShareOfSize = 0.25;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double v) { return std::isfinite(v); });
  std::sort(kept.begin(), kept.end());
  return kept;
}

// Between two values where it does not meet one.
double quantile(const std::vector<double>& ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], at - static_cast<double>(below));
}

// Halves, as a difference of two finite numbers need not be finite.
double half_between(double low, double high) { return 0.5 * high - 0.5 * low; }

double mean_distance(const std::vector<double>& values, double from) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value - from) / static_cast<double>(values.size());
  return sum;
}

double spread(const std::vector<double>& ascending, double median) {
  const auto between = [&](double share) {
    return 2 * half_between(quantile(ascending, share), quantile(ascending, 1 - share));
  };
  const double inner = between(0.25) / kBetweenQuartiles, outer = kTailShare * between(0.05) / kBetweenTails;
  if (positive(std::max(inner, outer))) return std::max(inner, outer);
  const double distance = mean_distance(ascending, median) / kMeanDistance;
  if (positive(distance)) return distance;
  const double size = kShareOfSize * std::abs(median);
  return positive(size) ? size : 1;
}

}  // namespace

double frame_width(std::size_t places) {
  return kWidth * std::clamp(std::sqrt(static_cast<double>(places) / kPlaces), 1.0, kWidestFactor);
}

Scale x_frame(std::span<const double> x) {
  std::vector<double> places = sorted(x);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.empty()) return {};
  const double half = half_between(places.front(), places.back()), centre = places.front() + half;
  const double scale = 2 * (half / frame_width(places.size()));
  return {centre, positive(scale) ? scale : 1};
}

Scale y_frame(std::span<const double> y) {
  const std::vector<double> ascending = sorted(y);
  if (ascending.empty()) return {};
  const double median = quantile(ascending, 0.5);
  return {median, spread(ascending, median)};
}

}  // namespace cmanp::base

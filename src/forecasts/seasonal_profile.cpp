#include "forecasts/seasonal_profile.hpp"

#include <cmath>
#include <cstdint>

namespace cmanp::forecasts {
namespace {

// The mean of the context's values with low < x <= high; NaN of none.
double mean_between(const data::Window& window, double low, double high) {
  double sum = 0, count = 0;
  for (const std::size_t i : window.context) {
    const double x = window.series->x[i];
    if (!(x > low && x <= high)) continue;
    sum += window.series->values[i];
    count += 1;
  }
  return sum / count;
}

}  // namespace

SeasonalProfile::SeasonalProfile(const data::Window& window, double step, double season) : step_(step) {
  const double end = window.series->x[window.context.back()] + 0.5 * step;
  const double length = end - (window.series->x[window.context.front()] - 0.5 * step);
  const double seasons = season > 0 ? std::floor(length / season + 1e-6) : 0;
  const auto period = seasons < 2 ? 0.0 : std::round(season / step);
  if (period < 2) return;
  begin_ = end - seasons * season;
  const double rise = mean_between(window, end - season, end) - mean_between(window, begin_, begin_ + season);
  if (!std::isfinite(rise)) return;  // a gap of a whole season
  const double slope = rise / ((seasons - 1) * season);
  std::vector<double> sums(static_cast<std::size_t>(period)), counts(sums.size());
  profile_.assign(sums.size(), 0);
  double sum = 0, count = 0;
  for (const std::size_t i : window.context) {
    const double x = window.series->x[i], value = window.series->values[i] - slope * (x - begin_);
    if (x < begin_) continue;
    sums[slot(x)] += value;
    counts[slot(x)] += 1;
    sum += value;
    count += 1;
  }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    if (counts[s] > 0) profile_[s] = sums[s] / counts[s] - sum / count;
  }
  widening_ = std::sqrt((seasons + 1) / (seasons - 1));
}

std::size_t SeasonalProfile::slot(double x) const {
  const auto place = static_cast<std::int64_t>(std::floor((x - begin_) / step_)),
             period = static_cast<std::int64_t>(profile_.size());
  return static_cast<std::size_t>(((place % period) + period) % period);
}

double SeasonalProfile::at(double x) const { return profile_[slot(x)]; }

}  // namespace cmanp::forecasts

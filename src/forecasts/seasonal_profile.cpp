#include "forecasts/seasonal_profile.hpp"

#include <algorithm>
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

// How unequal positive numbers are: their deviation over their mean.
double unevenness(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

// A line through the middles of the seasons, and on beyond the first and the last.
class Level {
 public:
  Level(const data::Window& window, double begin, double season, std::size_t seasons) : begin_(begin), season_(season) {
    for (std::size_t k = 0; k < seasons; ++k) {
      const double from = begin + static_cast<double>(k) * season;
      means_.push_back(mean_between(window, from, from + season));
    }
  }

  const std::vector<double>& means() const { return means_; }

  double at(double x) const {
    const double place = (x - begin_) / season_ - 0.5;
    const double last = static_cast<double>(means_.size()) - 2;
    const auto k = static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last));
    return std::lerp(means_[k], means_[k + 1], place - static_cast<double>(k));
  }

 private:
  double begin_, season_;
  std::vector<double> means_;
};

}  // namespace

// Where the swings about the level are much more alike as shares of it than as they are, and all values above 0.
void SeasonalProfile::try_factors(const data::Window& window, double season, std::size_t seasons) {
  constexpr std::size_t kFewest = 3;
  constexpr double kMuch = 0.7, kLeast = 0.1;  // of the level where a season's mean is
  if (seasons < kFewest) return;
  const Level level(window, begin_, season, seasons);
  std::vector<double> squares(seasons), counts(seasons);
  std::vector<double> sums(profile_.size()), values(profile_.size());
  for (const std::size_t i : window.context) {
    const double x = window.series->x[i], value = window.series->values[i];
    if (x < begin_) continue;
    const double here = level.at(x);
    const auto k = std::min(seasons - 1, static_cast<std::size_t>((x - begin_) / season));
    if (!(value > 0) || !(here > kLeast * level.means()[k])) return;
    squares[k] += (value - here) * (value - here);
    counts[k] += 1;
    sums[slot(x)] += value / here;
    values[slot(x)] += 1;
  }
  std::vector<double> swings, shares;
  for (std::size_t k = 0; k < seasons; ++k) {
    if (2 * counts[k] < static_cast<double>(profile_.size())) return;
    swings.push_back(std::sqrt(squares[k] / counts[k]));
    shares.push_back(swings.back() / level.means()[k]);
  }
  if (!(unevenness(shares) < kMuch * unevenness(swings))) return;
  factors_.assign(profile_.size(), 1);
  for (std::size_t s = 0; s < sums.size(); ++s) {
    if (values[s] > 0) factors_[s] = sums[s] / values[s];
  }
  profile_.assign(profile_.size(), 0);
}

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
  try_factors(window, season, static_cast<std::size_t>(seasons));
}

std::size_t SeasonalProfile::slot(double x) const {
  const auto place = static_cast<std::int64_t>(std::floor((x - begin_) / step_)),
             period = static_cast<std::int64_t>(profile_.size());
  return static_cast<std::size_t>(((place % period) + period) % period);
}

double SeasonalProfile::at(double x) const { return profile_[slot(x)]; }

double SeasonalProfile::factor(double x) const { return factors_.size() == 1 ? factors_[0] : factors_[slot(x)]; }

}  // namespace cmanp::forecasts

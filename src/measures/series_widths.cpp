#include "measures/series_widths.hpp"

#include <algorithm>
#include <cmath>

#include "base/running_mean.hpp"
#include "measures/calibration.hpp"

namespace cmanp::measures {
namespace {

constexpr std::size_t kFewestSeries = 10;  // below, how much series differ is a guess itself
constexpr double kSmallest = 1e-2, kLargest = 1e2;

// The logarithm of how many times as large as their deviations a window's errors are.
double log_size(const WindowErrors& window) {
  double squares = 0;
  for (const double z : window.z) squares += z * z / static_cast<double>(window.z.size());
  return std::log(std::clamp(std::sqrt(squares), kSmallest, kLargest));
}

double variance(const base::RunningMean& of) {
  return of.standard_error() * of.standard_error() * static_cast<double>(of.count());
}

// How sizes differ: from series to series, and from window to window of one.
class Sizes {
 public:
  Sizes(const std::vector<double>& sizes, const std::vector<WindowErrors>& windows, std::size_t series) : own_(series) {
    for (std::size_t w = 0; w < windows.size(); ++w) own_[windows[w].series].add(sizes[w]);
    base::RunningMean all, shares;
    double within = 0, free = 0;
    for (const base::RunningMean& own : own_) {
      if (own.count() == 0) continue;
      const auto count = static_cast<double>(own.count());
      all.add(own.mean());
      shares.add(1 / count);
      within += variance(own) * (count - 1);
      free += count - 1;
    }
    centre_ = all.mean();
    if (all.count() < kFewestSeries || free < static_cast<double>(kFewestSeries)) return;
    within_ = within / free;
    between_ = std::max(0.0, variance(all) - within_ * shares.mean());
  }

  // What a series' windows say it differs by from all, one of size `left_out` not counted.
  double difference(std::size_t series, const double* left_out = nullptr) const {
    const base::RunningMean& own = own_[series];
    double count = static_cast<double>(own.count()), sum = own.mean() * count;
    if (left_out != nullptr) {
      count -= 1;
      sum -= *left_out;
    }
    if (count < 1 || between_ == 0) return 0;
    return between_ / (between_ + within_ / count) * (sum / count - centre_);
  }

 private:
  std::vector<base::RunningMean> own_;
  double centre_ = 0, within_ = 0, between_ = 0;
};

}  // namespace

SeriesWidths widths_by(const std::vector<WindowErrors>& windows, std::size_t series) {
  std::vector<double> log_sizes;
  for (const WindowErrors& window : windows) log_sizes.push_back(log_size(window));
  const Sizes sizes(log_sizes, windows, series);
  std::vector<double> z;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const double factor = std::exp(sizes.difference(windows[w].series, &log_sizes[w]));
    for (const double one : windows[w].z) z.push_back(one / factor);
  }
  SeriesWidths widths{{}, bands_by(z)};
  for (std::size_t s = 0; s < series; ++s) widths.of_series.push_back(std::exp(sizes.difference(s)));
  return widths;
}

}  // namespace cmanp::measures

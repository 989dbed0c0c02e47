#include "forecasts/gp_rival.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace cmanp::forecasts {
namespace {

constexpr std::size_t kMostPoints = 256;  // the latest of a context: time grows with the cube of it
constexpr double kWorst = -std::numeric_limits<double>::infinity();

// In four sums at once, which is what the time goes into.
double dot(const double* left, const double* right, std::size_t count) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += left[i + k] * right[i + k];
  }
  for (; i < count; ++i) sums[0] += left[i] * right[i];
  return sums[0] + sums[1] + (sums[2] + sums[3]);
}

// Relative to the variance of the squared exponential, which the likelihood has in closed form.
struct Kernel {
  double length = 1;           // along x
  double seasonal = 0;         // variance of the periodic part
  double seasonal_length = 1;  // how fast that changes within a season
  double noise = 1;            // variance

  std::array<double*, 4> numbers() { return {&length, &noise, &seasonal, &seasonal_length}; }

  double operator()(double distance, double season) const {
    const double r = distance / length;
    double value = std::exp(-0.5 * r * r);
    if (seasonal > 0) {
      const double wave = std::sin(std::numbers::pi * distance / season) / seasonal_length;
      value += seasonal * std::exp(-2 * wave * wave);
    }
    return value;
  }
};

class Fit {
 public:
  Fit(const data::Window& window, double step, double season)
      : units_(data::context_units(window.context_values(), false)), season_(season) {
    const std::size_t all = window.context.size(), count = std::min(all, kMostPoints);
    for (std::size_t i = all - count; i < all; ++i) {
      x_.push_back(window.series->x[window.context[i]]);
      y_.push_back(units_(window.series->values[window.context[i]]));
    }
    search(step);
  }

  // Of an observation at x, noise included.
  std::pair<double, double> at(double x) const {
    if (best_ == kWorst) return {units_.shift, units_.scale};  // numbers that no process has
    const std::size_t n = x_.size();
    std::vector<double> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = kernel_(std::abs(x - x_[i]), season_);
    solve(row.data());
    const double rest = kernel_(0, season_) - dot(row.data(), row.data(), n);
    const double variance = variance_ * (std::max(0.0, rest) + kernel_.noise);
    return {units_.back(dot(row.data(), z_.data(), n)), units_.scale * std::sqrt(std::max(1e-6, variance))};
  }

 private:
  // From several lengths on, one number after the other, in ever smaller steps.
  void search(double step) {
    const double range = std::max(step, x_.back() - x_.front());
    for (const double length : {2 * step, std::sqrt(2 * step * range), range}) {
      for (const double noise : {0.01, 0.3}) try_out({length, season_ > 0 ? 1.0 : 0.0, 1, noise});
    }
    const std::size_t free = season_ > 0 ? 4 : 2;
    for (const double factor : {4.0, 2.0, 1.4}) {
      for (std::size_t i = 0; i < free; ++i) {
        for (const double by : {factor, 1 / factor}) {
          Kernel other = kernel_;
          double& number = *other.numbers()[i];
          number = std::clamp(number * by, i == 0 ? 0.5 * step : 1e-4, i == 0 ? 10 * range : 1e4);
          if (try_out(other)) break;
        }
      }
    }
    if (best_ != kWorst) likelihood(kernel_);  // leaves what answers need
  }

  bool try_out(const Kernel& kernel) {
    const double found = likelihood(kernel);
    if (!(found > best_)) return false;
    best_ = found;
    kernel_ = kernel;
    return true;
  }

  // Row by row, of K = L L^T: L and z = L^-1 y. The variance that suits best is |z|^2 / n.
  double likelihood(const Kernel& kernel) {
    const std::size_t n = x_.size();
    lower_.resize(n * n);
    z_ = y_;
    double logs = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double* row = &lower_[i * n];
      for (std::size_t j = 0; j < i; ++j) row[j] = kernel(x_[i] - x_[j], season_);
      solve_first(row, i);
      const double rest = kernel(0, season_) + kernel.noise - dot(row, row, i);
      if (!(rest > 0)) return kWorst;
      row[i] = std::sqrt(rest);
      logs += std::log(row[i]);
      z_[i] = (z_[i] - dot(row, z_.data(), i)) / row[i];
    }
    const auto points = static_cast<double>(n);
    variance_ = std::max(1e-12, dot(z_.data(), z_.data(), n) / points);
    const double value = -0.5 * points * std::log(variance_) - logs;
    return std::isfinite(value) ? value : kWorst;
  }

  void solve(double* row) const { solve_first(row, x_.size()); }
  void solve_first(double* row, std::size_t count) const {
    const std::size_t n = x_.size();
    for (std::size_t j = 0; j < count; ++j) row[j] = (row[j] - dot(row, &lower_[j * n], j)) / lower_[j * n + j];
  }

  base::Scale units_;
  double season_;
  std::vector<double> x_, y_;
  Kernel kernel_;
  double best_ = kWorst, variance_ = 1;
  std::vector<double> lower_, z_;  // of kernel_, once it is found
};

}  // namespace

Forecast gaussian_process(const data::Window& window, double step, double season) {
  const Fit fit(window, step, season);
  Forecast forecast;
  for (const std::size_t target : window.targets) {
    const auto [mean, std] = fit.at(window.series->x[target]);
    forecast.mean.push_back(mean);
    forecast.std.push_back(std);
  }
  return forecast;
}

}  // namespace cmanp::forecasts

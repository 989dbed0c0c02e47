#include "training/bandit/fitted_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cmanp::training {
namespace {

// L^-1 y for a lower factor L [n][n].
std::vector<double> solve(std::span<const double> factor, std::span<const double> y) {
  const std::size_t n = y.size();
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = &factor[i * n];
    z[i] = (y[i] - std::inner_product(row, row + i, z.begin(), 0.0)) / row[i];
  }
  return z;
}

// Log-likelihood, but for a constant.
double likelihood(std::span<const double> factor, std::span<const double> whitened) {
  double sum = 0;
  for (std::size_t i = 0; i < whitened.size(); ++i) {
    sum -= whitened[i] * whitened[i] / 2 + std::log(factor[i * whitened.size() + i]);
  }
  return sum;
}

// `count` numbers from `low` to `high`, each the same factor above the one before.
std::vector<double> spread(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(low * std::pow(high / low, i / static_cast<double>(count - 1)));
  return values;
}

}  // namespace

void FittedProcess::observe(double x, double y) {
  static const std::vector<double> lengths = spread(0.07, 1, 10), scales = spread(0.1, 1.5, 7);
  x_.push_back(x);
  y_.push_back(y);
  double best = -std::numeric_limits<double>::infinity();
  GaussianProcess candidate = process_;
  for (const double length : lengths) {
    for (const double scale : scales) {
      candidate.length = length;
      candidate.scale = scale;
      std::vector<double> factor = candidate.factor(x_), whitened = solve(factor, y_);
      const double value = likelihood(factor, whitened);
      if (value <= best) continue;
      best = value;
      process_ = candidate;
      factor_ = std::move(factor);
      whitened_ = std::move(whitened);
    }
  }
}

void FittedProcess::predict(std::span<const double> places, std::span<double> mean, std::span<double> deviation) const {
  std::vector<double> covariances(x_.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::transform(x_.begin(), x_.end(), covariances.begin(),
                   [&](double x) { return process_.covariance(places[i], x); });
    const std::vector<double> z = solve(factor_, covariances);
    mean[i] = std::inner_product(z.begin(), z.end(), whitened_.begin(), 0.0);
    const double known = std::inner_product(z.begin(), z.end(), z.begin(), 0.0);
    deviation[i] = std::sqrt(std::max(0.0, process_.covariance(0, 0) - known));
  }
}

}  // namespace cmanp::training

#include "measures/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cmanp::measures {
namespace {

Measured measured(const base::RunningMean& mean) { return {mean.mean(), mean.standard_error()}; }

// A share of `count`, by its binomial.
Measured measured_share(double share, std::size_t count) {
  return {share, count == 0 ? 0 : std::sqrt(share * (1 - share) / static_cast<double>(count))};
}

// By the delta method: d sqrt(m) = dm / (2 sqrt(m)).
Measured square_root(const base::RunningMean& squared) {
  const double root = std::sqrt(squared.mean());
  return {root, root > 0 ? squared.standard_error() / (2 * root) : 0};
}

}  // namespace

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double Judge::add_number(double y, double mean, double std) {
  const double error = y - mean, z = error / std;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi), below = normal_below(z);
  squared_.add(error * error);
  absolute_.add(std::abs(error));
  crps_.add(std * (z * (2 * below - 1) + 2 * density - 1 / std::sqrt(std::numbers::pi)));
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const double half = kLevels[i].deviations * scales_[i] * std;
    inside_[i].add(std::abs(error) <= half ? 1 : 0);
    width_[i].add(2 * half);
  }
  ++pit_[std::min(static_cast<std::size_t>(below * kPitBins), kPitBins - 1)];
  return -z * z / 2 - std::log(std) - std::log(2 * std::numbers::pi) / 2;
}

void Judge::add(std::span<const double> y, std::span<const double> mean, std::span<const double> std,
                std::size_t width) {
  for (std::size_t at = 0; at < y.size(); at += width) {
    double log_likelihood = 0;
    for (std::size_t i = at; i < at + width; ++i) log_likelihood += add_number(y[i], mean[i], std[i]);
    log_likelihood_.add(log_likelihood);
  }
}

Judgement Judge::judgement() const {
  Judgement result;
  const std::size_t numbers = squared_.count();
  result.points = log_likelihood_.count();
  result.log_likelihood = measured(log_likelihood_);
  result.rmse = square_root(squared_);
  result.mae = measured(absolute_);
  result.crps = measured(crps_);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    result.bands[i] = {measured_share(inside_[i].mean(), numbers), measured(width_[i])};
  }
  for (std::size_t bin = 0; bin < kPitBins && numbers > 0; ++bin) {
    result.pit[bin] = measured_share(static_cast<double>(pit_[bin]) / static_cast<double>(numbers), numbers);
  }
  return result;
}

}  // namespace cmanp::measures

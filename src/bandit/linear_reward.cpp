#include "bandit/linear_reward.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cmanp::bandit {
namespace {

double dot(std::span<const double> left, std::span<const double> right) {
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

}  // namespace

LinearReward::LinearReward(std::size_t features, double ridge)
    : size_(features), inverse_(features * features), sum_(features), weights_(features) {
  for (std::size_t i = 0; i < features; ++i) inverse_[i * features + i] = 1 / ridge;
}

std::vector<double> LinearReward::times_inverse(std::span<const double> features) const {
  std::vector<double> result(size_);
  for (std::size_t i = 0; i < size_; ++i) result[i] = dot(std::span(inverse_).subspan(i * size_, size_), features);
  return result;
}

// By Sherman and Morrison.
void LinearReward::learn(std::span<const double> features, double reward) {
  const std::vector<double> column = times_inverse(features);
  const double scale = 1 / (1 + dot(column, features));
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) inverse_[i * size_ + j] -= scale * column[i] * column[j];
    sum_[i] += features[i] * reward;
  }
  weights_ = times_inverse(sum_);
  squares_ += reward * reward;
  ++count_;
}

double LinearReward::mean(std::span<const double> features) const { return dot(weights_, features); }

double LinearReward::spread(std::span<const double> features) const {
  return std::sqrt(std::max(0.0, dot(times_inverse(features), features)));
}

double LinearReward::noise_variance(double prior_shape, double prior_rate) const {
  const double unexplained = std::max(0.0, squares_ - dot(weights_, sum_));
  return (prior_rate + unexplained / 2) / (prior_shape + static_cast<double>(count_) / 2);
}

}  // namespace cmanp::bandit

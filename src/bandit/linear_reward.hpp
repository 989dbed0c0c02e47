// Bayesian linear regression of one arm's reward on features, updated at constant cost: what is known of the weights is
// N(A^-1 b, s^2 A^-1) with A = ridge I + sum f f', b = sum f y.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cmanp::bandit {

class LinearReward {
 public:
  LinearReward(std::size_t features, double ridge);

  void learn(std::span<const double> features, double reward);
  double mean(std::span<const double> features) const;
  double spread(std::span<const double> features) const;  // sqrt(f' A^-1 f)

  // The variance s^2 of what the features leave open: an inverse-gamma posterior's, at its prior with nothing learnt.
  double noise_variance(double prior_shape, double prior_rate) const;

 private:
  std::vector<double> times_inverse(std::span<const double> features) const;

  std::size_t size_;
  std::vector<double> inverse_;  // A^-1 [size][size]
  std::vector<double> sum_;      // b
  std::vector<double> weights_;  // A^-1 b
  double squares_ = 0;           // sum y^2
  std::size_t count_ = 0;
};

}  // namespace cmanp::bandit

#include "bandit/lin_ucb.hpp"

#include "bandit/policy.hpp"

namespace cmanp::bandit {
namespace {

std::vector<double> with_constant(std::span<const double> context) {
  std::vector<double> features(context.begin(), context.end());
  features.push_back(1);
  return features;
}

}  // namespace

LinUcb::LinUcb(std::size_t features, std::size_t arms, double exploration)
    : exploration_(exploration), arms_(arms, LinearReward(features + 1, 1)) {}

std::size_t LinUcb::choose(std::span<const double> context) {
  const std::vector<double> features = with_constant(context);
  std::vector<double> bounds;
  for (const LinearReward& arm : arms_) bounds.push_back(arm.mean(features) + exploration_ * arm.spread(features));
  return largest(bounds);
}

void LinUcb::learn(std::span<const double> context, std::size_t arm, double reward) {
  arms_[arm].learn(with_constant(context), reward);
}

}  // namespace cmanp::bandit

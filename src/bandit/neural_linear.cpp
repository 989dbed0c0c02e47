#include "bandit/neural_linear.hpp"

#include <cmath>

#include "bandit/policy.hpp"

namespace cmanp::bandit {

NeuralLinear::NeuralLinear(std::size_t features, std::size_t arms, std::uint32_t seed,
                           const NeuralLinearOptions& options)
    : options_(options),
      random_(seed),
      normals_(seed, 1),
      network_(features, options.hidden, arms, random_),
      arms_(arms, LinearReward(options.hidden + 1, options.ridge)) {}

std::vector<double> NeuralLinear::features(std::span<const double> context) const {
  std::vector<double> result = network_.features(context);
  result.push_back(1);
  return result;
}

std::size_t NeuralLinear::choose(std::span<const double> context) {
  if (seen_.size() < options_.first_pulls * arms_.size()) return seen_.size() % arms_.size();
  const std::vector<double> seen_as = features(context);
  std::vector<double> draws;
  for (const LinearReward& arm : arms_) {
    const double deviation = std::sqrt(arm.noise_variance(options_.noise_shape, options_.noise_rate));
    draws.push_back(arm.mean(seen_as) + deviation * arm.spread(seen_as) * normals_.next());
  }
  return largest(draws);
}

void NeuralLinear::learn(std::span<const double> context, std::size_t arm, double reward) {
  seen_.push_back({{context.begin(), context.end()}, arm, reward});
  arms_[arm].learn(features(context), reward);
  if (seen_.size() % options_.train_every == 0) train();
}

// The features change, so that the regressions on them begin anew.
void NeuralLinear::train() {
  for (std::size_t step = 0; step < options_.train_steps; ++step) {
    for (std::size_t i = 0; i < options_.batch; ++i) {
      const Seen& one = seen_[random_.up_to(seen_.size() - 1)];
      network_.add_gradient(one.context, one.arm, options_.reward_scale * one.reward);
    }
    network_.step(options_.rate, options_.batch);
  }
  arms_.assign(arms_.size(), LinearReward(options_.hidden + 1, options_.ridge));
  for (const Seen& one : seen_) arms_[one.arm].learn(features(one.context), one.reward);
}

}  // namespace cmanp::bandit

// The wheel bandit (Riquelme et al., 2018) as the public neural-process code has it: contexts in the unit disc, five
// arms. Arm 0 pays 1.2 and the others 1 everywhere, but outside of radius delta the arm of the context's quadrant
// pays 50.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bandit/numpy_random.hpp"

namespace cmanp::bandit {

struct Wheel {
  static constexpr std::size_t kArms = 5, kFeatures = 2;

  double delta = 0;
  std::vector<double> contexts;    // [rounds][kFeatures]
  std::vector<double> rewards;     // [rounds][kArms], what each arm would pay
  std::vector<std::uint8_t> best;  // [rounds], the arm that is best on average

  std::size_t rounds() const { return best.size(); }
  std::span<const double> context(std::size_t round) const { return {&contexts[round * kFeatures], kFeatures}; }
  double reward(std::size_t round, std::size_t arm) const { return rewards[round * kArms + arm]; }
  // What playing `arm` loses against the best one, as realised: noise may make it a gain.
  double regret(std::size_t round, std::size_t arm) const { return reward(round, best[round]) - reward(round, arm); }
};

double radius(std::span<const double> context);

// The arm that pays 50 outside: 1 to 4, anticlockwise from the quadrant where both are positive.
std::size_t quadrant_arm(std::span<const double> context);
std::size_t best_arm(std::span<const double> context, double delta);

// What an arm pays, drawn.
double draw_reward(std::span<const double> context, std::size_t arm, double delta, NumpyRandom& random);

// What a model with the arm among its x learns as the reward: a quarter of its logarithm, between 0 and 1. Rewards of
// 50 and 1 themselves are a thousand deviations apart, and a likelihood that is wrong about one hears of nothing else.
double learnt_reward(double reward);

// Contexts uniform in the disc, in the order drawn: [count][2].
std::vector<double> draw_contexts(std::size_t count, NumpyRandom& random);

// The published problem: the contexts and rewards of NumPy's seed 0, whatever `order`, which is the seed that shuffles
// them. So two orders are the same rounds in another order.
Wheel published_wheel(std::size_t rounds, double delta, std::uint32_t order);

// A problem of its own.
Wheel draw_wheel(std::size_t rounds, double delta, NumpyRandom& random);

}  // namespace cmanp::bandit

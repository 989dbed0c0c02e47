#include "bandit/wheel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cmanp::bandit {
namespace {

constexpr double kMean[Wheel::kArms] = {1.2, 1, 1, 1, 1};
constexpr double kDeviation = 0.05, kLargeMean = 50, kLargeDeviation = 0.01;

}  // namespace

double radius(std::span<const double> context) { return std::sqrt(context[0] * context[0] + context[1] * context[1]); }

std::size_t quadrant_arm(std::span<const double> context) {
  if (context[1] > 0) return context[0] > 0 ? 1 : 2;
  return context[0] <= 0 ? 3 : 4;
}

std::size_t best_arm(std::span<const double> context, double delta) {
  return radius(context) >= delta ? quadrant_arm(context) : 0;
}

double draw_reward(std::span<const double> context, std::size_t arm, double delta, NumpyRandom& random) {
  const bool large = arm != 0 && arm == best_arm(context, delta);
  return large ? random.normal(kLargeMean, kLargeDeviation) : random.normal(kMean[arm], kDeviation);
}

double learnt_reward(double reward) { return std::log(std::max(reward, 1e-3)) / 4; }

// By rejection from the square, a third of `count` at a time, as the public code does it.
std::vector<double> draw_contexts(std::size_t count, NumpyRandom& random) {
  std::vector<double> contexts;
  const std::size_t at_once = std::max<std::size_t>(count / 3, 1);
  while (contexts.size() < count * Wheel::kFeatures) {
    for (std::size_t i = 0; i < at_once; ++i) {
      const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
      const double point[] = {x, y};
      if (radius(point) <= 1) contexts.insert(contexts.end(), {x, y});
    }
  }
  contexts.resize(count * Wheel::kFeatures);
  return contexts;
}

Wheel draw_wheel(std::size_t rounds, double delta, NumpyRandom& random) {
  Wheel wheel{delta, draw_contexts(rounds, random), {}, {}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t first = wheel.rewards.size(), best = best_arm(wheel.context(round), delta);
    for (const double mean : kMean) wheel.rewards.push_back(random.normal(mean, kDeviation));
    if (best != 0) wheel.rewards[first + best] = random.normal(kLargeMean, kLargeDeviation);
    wheel.best.push_back(static_cast<std::uint8_t>(best));
  }
  return wheel;
}

Wheel published_wheel(std::size_t rounds, double delta, std::uint32_t order) {
  NumpyRandom content(0), shuffler(order);
  const Wheel drawn = draw_wheel(rounds, delta, content);
  std::vector<std::size_t> places(rounds);
  std::iota(places.begin(), places.end(), std::size_t{0});
  shuffler.shuffle(places);
  Wheel wheel{delta, {}, {}, {}};
  for (const std::size_t place : places) {
    const std::span<const double> context = drawn.context(place);
    wheel.contexts.insert(wheel.contexts.end(), context.begin(), context.end());
    for (std::size_t arm = 0; arm < Wheel::kArms; ++arm) wheel.rewards.push_back(drawn.reward(place, arm));
    wheel.best.push_back(drawn.best[place]);
  }
  return wheel;
}

}  // namespace cmanp::bandit

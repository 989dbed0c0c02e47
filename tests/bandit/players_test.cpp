// Players on problems whose best policy is known.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bandit/lin_ucb.hpp"
#include "bandit/linear_reward.hpp"
#include "bandit/neural_linear.hpp"
#include "bandit/policy.hpp"
#include "bandit/small_network.hpp"

namespace cmanp::bandit {
namespace {

TEST(Policy, PicksByMeanBoundOrDraw) {
  const double mean[] = {1, 0.5, 0}, deviation[] = {0, 1, 1};
  base::NormalSource normals(1, 1);
  EXPECT_EQ(pick({.policy = Policy::greedy}, mean, deviation, normals), 0U);
  EXPECT_EQ(pick({.policy = Policy::ucb}, mean, deviation, normals), 1U);
  EXPECT_EQ(pick({.policy = Policy::ucb, .exploration = 0.1}, mean, deviation, normals), 0U);
  std::size_t times[3] = {};
  for (int i = 0; i < 2000; ++i) ++times[pick({.policy = Policy::thompson}, mean, deviation, normals)];
  EXPECT_GT(times[0], times[1]);
  EXPECT_GT(times[1], times[2]);
  EXPECT_GT(times[2], 100U);
}

TEST(LinearReward, IsRidgeRegression) {
  NumpyRandom random(3);
  LinearReward reward(2, 0.5), hardly_shrunk(2, 1e-9);
  // The same by the normal equations of two unknowns.
  double a = 0.5, b = 0, d = 0.5, u = 0, v = 0;
  for (int i = 0; i < 50; ++i) {
    const double f[] = {random.uniform(-1, 1), 1}, y = 2 * f[0] - 1 + random.normal(0, 0.1);
    reward.learn(f, y);
    hardly_shrunk.learn(f, y);
    a += f[0] * f[0], b += f[0] * f[1], d += f[1] * f[1], u += f[0] * y, v += f[1] * y;
  }
  const double det = a * d - b * b, first = (d * u - b * v) / det, second = (a * v - b * u) / det;
  const double at[] = {0.3, 1};
  EXPECT_NEAR(reward.mean(at), 0.3 * first + second, 1e-10);
  EXPECT_NEAR(reward.spread(at), std::sqrt((0.09 * d - 0.6 * b + a) / det), 1e-10);
  EXPECT_NEAR(hardly_shrunk.noise_variance(1, 0.01), 0.01, 0.005);
}

// Rewards linear in the context: arm 1 is best where x > 0, else arm 0.
template <class OfPlayer>
double share_of_best(OfPlayer&& player, std::size_t rounds) {
  NumpyRandom random(5);
  std::size_t best = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const double context[] = {random.uniform(-1, 1), random.uniform(-1, 1)};
    const std::size_t arm = player.choose(context);
    const double mean[] = {-context[0], context[0], -2};
    player.learn(context, arm, mean[arm] + random.normal(0, 0.1));
    if (round >= rounds / 2) best += arm == (context[0] > 0 ? 1U : 0U);
  }
  return static_cast<double>(best) / static_cast<double>(rounds - rounds / 2);
}

TEST(LinUcb, FindsTheBestArmOfALinearProblem) { EXPECT_GT(share_of_best(LinUcb(2, 3, 1), 1000), 0.95); }

TEST(NeuralLinear, FindsTheBestArmOfALinearProblem) { EXPECT_GT(share_of_best(NeuralLinear(2, 3, 1), 600), 0.9); }

TEST(SmallNetwork, LearnsWhatIsNotLinear) {
  NumpyRandom random(1);
  SmallNetwork network(2, 16, 1, random);
  const auto loss = [&] {
    double sum = 0;
    for (int step = 0; step < 400; ++step) {
      for (int i = 0; i < 32; ++i) {
        const double x[] = {random.uniform(-1, 1), random.uniform(-1, 1)};
        network.add_gradient(x, 0, x[0] * x[1] > 0 ? 1 : 0);
      }
      network.step(0.01, 32);
    }
    for (const auto& [x, y] : {std::pair{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}}) {
      const double context[] = {x, y};
      const std::vector<double> features = network.features(context);
      sum += std::accumulate(features.begin(), features.end(), 0.0);
    }
    return sum;
  };
  EXPECT_GT(loss(), 0);  // units that all died would sum to nothing
  LinearReward head(17, 1e-3);
  for (int i = 0; i < 400; ++i) {
    const double x[] = {random.uniform(-1, 1), random.uniform(-1, 1)};
    std::vector<double> features = network.features(x);
    features.push_back(1);
    head.learn(features, x[0] * x[1] > 0 ? 1 : 0);
  }
  EXPECT_LT(std::sqrt(head.noise_variance(1e-3, 1e-3)), 0.3);  // linear features of x leave 0.5
}

}  // namespace
}  // namespace cmanp::bandit

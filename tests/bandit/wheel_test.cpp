// The published wheel, exactly: what the public code's own run says of its arms, rewards and orders.
#include "bandit/wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "bandit/player.hpp"

namespace cmanp::bandit {
namespace {

struct Facts {
  double delta;
  std::array<std::size_t, Wheel::kArms> best;  // rounds of which each arm is the best
  double best_rewards;                         // of all rounds
  double uniform_regret;                       // roughly
};

constexpr Facts kFacts[] = {{0.7, {961, 261, 267, 275, 236}, 53101.77, 40.5e3},
                            {0.9, {1633, 87, 94, 99, 87}, 20310.51, 14.3e3},
                            {0.95, {1812, 39, 52, 48, 49}, 11575.07, 7.6e3},
                            {0.99, {1966, 9, 10, 8, 7}, 4056.20, 1.65e3},
                            {0.995, {1978, 5, 7, 7, 3}, 3474.75, 1.17e3}};

TEST(NumpyRandom, IsNumpys) {
  // numpy.random.seed(0); random_sample(3); then, seeded anew, normal() four times.
  NumpyRandom uniform(0), normal(0);
  for (const double expected : {0.5488135039273248, 0.7151893663724195, 0.6027633760716439}) {
    EXPECT_EQ(uniform.uniform(), expected);
  }
  for (const double expected : {1.764052345967664, 0.4001572083672233, 0.9787379841057392, 2.240893199201458}) {
    EXPECT_DOUBLE_EQ(normal.normal(0, 1), expected);
  }
  // numpy.random.seed(0); numpy.random.permutation(10)
  NumpyRandom shuffler(0);
  std::vector<int> order(10);
  std::iota(order.begin(), order.end(), 0);
  shuffler.shuffle(order);
  EXPECT_EQ(order, (std::vector<int>{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}));
}

TEST(Wheel, HasThePublishedArmsAndRewards) {
  for (const Facts& facts : kFacts) {
    const Wheel wheel = published_wheel(2000, facts.delta, 3);
    std::array<std::size_t, Wheel::kArms> best{};
    double rewards = 0;
    for (std::size_t round = 0; round < wheel.rounds(); ++round) {
      ++best.at(wheel.best[round]);
      rewards += wheel.reward(round, wheel.best[round]);
      EXPECT_EQ(wheel.best[round], best_arm(wheel.context(round), facts.delta));
    }
    EXPECT_EQ(best, facts.best) << facts.delta;
    EXPECT_NEAR(rewards, facts.best_rewards, 0.006) << facts.delta;
  }
}

TEST(Wheel, TheUniformPlayersRegretIsThePublishedOne) {
  for (const Facts& facts : kFacts) {
    double sum = 0;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
      UniformPlayer player(Wheel::kArms, seed);
      const Game game = play(published_wheel(2000, facts.delta, seed), player);
      sum += std::accumulate(game.regret.begin(), game.regret.end(), 0.0);
    }
    EXPECT_NEAR(sum / 50, facts.uniform_regret, 0.04 * facts.uniform_regret) << facts.delta;
  }
}

TEST(Wheel, OrdersAreTheSameRoundsInAnotherOrder) {
  const Wheel one = published_wheel(500, 0.8, 0), other = published_wheel(500, 0.8, 1);
  EXPECT_NE(one.contexts, other.contexts);
  const auto sorted = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
  };
  EXPECT_EQ(sorted(one.rewards), sorted(other.rewards));
  EXPECT_EQ(sorted(one.contexts), sorted(other.contexts));
}

TEST(Wheel, DrawnProblemsDiffer) {
  NumpyRandom random(7);
  const Wheel wheel = draw_wheel(3000, 0.5, random), other = draw_wheel(3000, 0.5, random);
  EXPECT_NE(wheel.contexts, other.contexts);
  const auto inside = static_cast<double>(std::count(wheel.best.begin(), wheel.best.end(), 0));
  EXPECT_NEAR(inside / 3000, 0.25, 0.03);  // of the disc's area
}

TEST(Wheel, OneRoundIsPossible) { EXPECT_EQ(published_wheel(1, 0.5, 0).rounds(), 1U); }

}  // namespace
}  // namespace cmanp::bandit

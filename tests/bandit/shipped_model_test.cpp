// The model that ships, on the published games: better than the best published figures, far from chance.
#include <gtest/gtest.h>

#include <numeric>

#include "bandit/model_player.hpp"

namespace cmanp::bandit {
namespace {

double regret_of(Player& player, const Wheel& wheel) {
  const Game game = play(wheel, player);
  return std::accumulate(game.regret.begin(), game.regret.end(), 0.0);
}

TEST(ShippedModel, FindsOutHowFarOutTheLargeRewardsAre) {
  const Model model = Model::load(CMANP_SOURCE_DIR "/models/wheel.cmanp");
  ASSERT_EQ(rewards_of(model.config(), "wheel.cmanp"), Rewards::chosen);
  // The best published share of the uniform player's regret, in percent.
  for (const auto& [delta, published] : {std::pair{0.7, 0.93}, {0.99, 3.57}}) {
    const Wheel wheel = published_wheel(2000, delta, 1);
    const auto player = make_model_player(model, Rewards::chosen, {});
    UniformPlayer uniform(Wheel::kArms, 1);
    EXPECT_LT(100 * regret_of(*player, wheel) / regret_of(uniform, wheel), published) << delta;
  }
}

}  // namespace
}  // namespace cmanp::bandit

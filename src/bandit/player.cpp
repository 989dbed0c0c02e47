#include "bandit/player.hpp"

#include "base/seconds.hpp"

namespace cmanp::bandit {

Game play(const Wheel& wheel, Player& player) {
  Game game;
  for (std::size_t round = 0; round < wheel.rounds(); ++round) {
    const double start = base::seconds_of_thread();
    const std::size_t arm = player.choose(wheel.context(round));
    player.learn(wheel.context(round), arm, wheel.reward(round, arm));
    game.seconds.push_back(base::seconds_of_thread() - start);
    game.regret.push_back(wheel.regret(round, arm));
  }
  return game;
}

}  // namespace cmanp::bandit

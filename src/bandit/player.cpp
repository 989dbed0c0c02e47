#include "bandit/player.hpp"

#include <chrono>

namespace cmanp::bandit {

Game play(const Wheel& wheel, Player& player) {
  using Clock = std::chrono::steady_clock;
  Game game;
  for (std::size_t round = 0; round < wheel.rounds(); ++round) {
    const Clock::time_point start = Clock::now();
    const std::size_t arm = player.choose(wheel.context(round));
    player.learn(wheel.context(round), arm, wheel.reward(round, arm));
    game.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    game.regret.push_back(wheel.regret(round, arm));
  }
  return game;
}

}  // namespace cmanp::bandit

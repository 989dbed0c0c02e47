#include "bandit/player.hpp"

#include <time.h>

namespace cmanp::bandit {
namespace {

// Of this thread alone: what else the machine does is no part of a round.
double seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Game play(const Wheel& wheel, Player& player) {
  Game game;
  for (std::size_t round = 0; round < wheel.rounds(); ++round) {
    const double start = seconds_of_thread();
    const std::size_t arm = player.choose(wheel.context(round));
    player.learn(wheel.context(round), arm, wheel.reward(round, arm));
    game.seconds.push_back(seconds_of_thread() - start);
    game.regret.push_back(wheel.regret(round, arm));
  }
  return game;
}

}  // namespace cmanp::bandit

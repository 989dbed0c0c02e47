// Somebody who chooses an arm for every context and sees what that arm paid; and a whole game of the wheel by one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bandit/numpy_random.hpp"
#include "bandit/wheel.hpp"

namespace cmanp::bandit {

class Player {
 public:
  virtual ~Player() = default;

  virtual std::size_t choose(std::span<const double> context) = 0;
  virtual void learn(std::span<const double> context, std::size_t arm, double reward) = 0;
};

// Any arm, each as likely: what regrets are measured by.
class UniformPlayer : public Player {
 public:
  UniformPlayer(std::size_t arms, std::uint32_t seed) : arms_(arms), random_(seed) {}

  std::size_t choose(std::span<const double>) override { return random_.up_to(arms_ - 1); }
  void learn(std::span<const double>, std::size_t, double) override {}

 private:
  std::size_t arms_;
  NumpyRandom random_;
};

struct Game {
  std::vector<double> regret;   // of every round
  std::vector<double> seconds;  // of computing that every round took, to choose and to learn
};

Game play(const Wheel& wheel, Player& player);

}  // namespace cmanp::bandit

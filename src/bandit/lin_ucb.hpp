// LinUCB (Li et al., 2010), disjoint: every arm's reward is linear in the context, and the one with the largest upper
// confidence bound is played.
#pragma once

#include <vector>

#include "bandit/linear_reward.hpp"
#include "bandit/player.hpp"

namespace cmanp::bandit {

class LinUcb : public Player {
 public:
  LinUcb(std::size_t features, std::size_t arms, double exploration);

  std::size_t choose(std::span<const double> context) override;
  void learn(std::span<const double> context, std::size_t arm, double reward) override;

 private:
  double exploration_;
  std::vector<LinearReward> arms_;
};

}  // namespace cmanp::bandit

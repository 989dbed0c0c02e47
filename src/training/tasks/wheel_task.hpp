// The wheel bandit to train on: problems that differ in their radius delta.
//
//   paper-code   eight fixed problems, 512 + 50 points each, as the public code trains
//   paper-text   new problems in every batch, delta uniform in (0, 1), as the paper says
//   rim          new problems; half of the deltas uniform, half close to 1: 1 - 10^-u, u uniform in (0, 3)
//
// A point is a context with the rewards of all arms (some replaced by noise in training, drop_y), or, with rewards
// `chosen`, a context and one arm with the logarithm of what it paid: nothing is missing there, and contexts are what
// somebody who plays would have collected, from none to max_points rounds.
#pragma once

#include <utility>
#include <vector>

#include "bandit/wheel.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

struct WheelSettings {
  std::string variant = "paper-code";
  std::string rewards = "all";    // or chosen
  std::int64_t batch = 8;         // problems; the fixed ones are 8
  std::int64_t max_points = 512;  // of context: all of them with rewards all, up to as many with chosen
  std::int64_t max_targets = 50;  // contexts to predict at; with chosen, each has all five arms
  std::int64_t least_points = 0;  // of context with chosen; some models need one
  double drop_y = 0.5;            // share of a training context's rewards that N(0, 1) replaces; rewards all
};

class WheelTask : public Task {
 public:
  explicit WheelTask(const WheelSettings& settings);  // throws Error on what makes no sense

  std::string name() const override;
  std::int64_t dim_x() const override { return dimensions(settings_.rewards).first; }
  std::int64_t dim_y() const override { return dimensions(settings_.rewards).second; }
  static constexpr Range kX{-1, 1};
  Range range() const override { return kX; }
  torch::Tensor places() const override;
  Batch next(Random& random) const override;
  EvaluationBatch next_for_evaluation(Random& random) const override;

  static std::pair<std::int64_t, std::int64_t> dimensions(const std::string& rewards);  // dim_x, dim_y

 private:
  double draw_delta(Random& random) const;
  std::int64_t draw_rounds(Random& random) const;  // of a game, rewards chosen
  Batch all_rewards(Random& random, bool training) const;
  Batch chosen_rewards(Random& random) const;

  WheelSettings settings_;
  std::vector<bandit::Wheel> fixed_;  // paper-code's problems
};

}  // namespace cmanp::training

// Regression of one variable over all kinds of signals: the prior of models that serve a stranger's data. Every task is
// in the frame of its own context, as base::frame_of makes it, and so are likelihoods.
#pragma once

#include <vector>

#include "training/tasks/gp_task.hpp"
#include "training/tasks/signals/signal.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

struct SignalsSettings {
  SignalPrior prior;
  std::int64_t batch = 16;         // tasks
  std::int64_t max_points = 1120;  // context and targets together stay below
  std::int64_t targets = 96;       // of every task
  std::int64_t least_points = 0;   // of context
  std::int64_t extra_targets = 0;  // of every training batch; evaluation has none
  Asked truth = Asked::each;
};

class SignalsTask : public Task {
 public:
  static constexpr Range kX{-2, 2};  // of few observations; more of them, and forecasts, reach farther

  explicit SignalsTask(const SignalsSettings& settings);  // throws Error on what makes no sense

  std::string name() const override;
  std::int64_t dim_x() const override { return 1; }
  std::int64_t dim_y() const override { return 1; }
  Range range() const override { return kX; }
  Batch next(Random& random) const override { return sample(random, false).batch; }
  EvaluationBatch next_for_evaluation(Random& random) const override { return sample(random, true); }

  // One signal as batches have them, of so many observed and asked points.
  Signal draw_one(std::size_t observed, std::size_t asked, Random& random) const;
  std::size_t draw_count(Random& random) const;  // of context points: log-uniform

 private:
  EvaluationBatch sample(Random& random, bool for_evaluation) const;

  SignalsSettings settings_;
  std::vector<Simple> kinds_;
};

}  // namespace cmanp::training

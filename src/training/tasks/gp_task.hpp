// One-dimensional regression: functions drawn from Gaussian processes whose kernel parameters differ from task to task.
#pragma once

#include "training/tasks/gaussian_process.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

// What a training batch says of its points' y given the context: nothing, of each point, or of all of them jointly.
enum class Asked { nothing, each, jointly };

struct GpSettings {
  std::string kernel = "rbf";          // or matern, periodic
  std::string variant = "paper-code";  // or paper-text, wide, sums: other length scales
  std::int64_t batch = 16;             // tasks
  std::int64_t max_points = 50;        // context and targets together stay below
  std::int64_t extra_targets = 0;      // of every training batch; evaluation has none
  double t_noise = 0;                  // times Student-t(2.1) noise on every y; -1: times 0.15 U[0, 1), each anew
  Asked truth = Asked::nothing;
  std::int64_t context = 0;  // of every evaluation task, exactly; 0: drawn
};

class GpTask : public Task {
 public:
  static constexpr Range kX{-2, 2};
  static constexpr double kNoise = 0.02;  // deviation; keeps the Cholesky factor sound as well

  explicit GpTask(const GpSettings& settings);  // throws Error on what makes no sense

  std::string name() const override;
  std::int64_t dim_x() const override { return 1; }
  std::int64_t dim_y() const override { return 1; }
  Range range() const override { return kX; }
  Batch next(Random& random) const override { return sample(random, false).batch; }
  EvaluationBatch next_for_evaluation(Random& random) const override { return sample(random, true); }

 private:
  EvaluationBatch sample(Random& random, bool for_evaluation) const;
  GaussianProcess draw_process(Random& random) const;
  double draw_noise(Random& random) const;

  GpSettings settings_;
  Kernel kernel_;
  Range length_;
};

}  // namespace cmanp::training

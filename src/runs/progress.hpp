// Where a run stands: all that it carries from step to step beside its problem's tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runs/run_files.hpp"

namespace cmanp::runs {

struct Progress {
  std::int64_t step = 0;  // finished
  double loss = 0;        // mean since the last line of metrics
  double loss_sum = 0;    // of which it is made
  std::int64_t loss_count = 0;
  std::optional<double> log_likelihood;       // of the last evaluation
  std::optional<double> best_log_likelihood;  // of all
  std::int64_t best_step = 0;
  std::int64_t evaluated_step = -1;  // of the last evaluation
  std::int64_t without_gain = 0;     // evaluations since the best
  bool evaluation_due = false;       // that of this step was told to stop

  void add_loss(double of_step);
  void begin_mean();

  // An evaluation; whether it is the best so far.
  bool add_evaluation(std::int64_t at, double result);
};

nlohmann::ordered_json to_json(const Progress& progress);

// Out of a checkpoint, those of older layouts included. `where` begins every message.
Progress parse_progress(const RunState& state, const std::string& where);

}  // namespace cmanp::runs

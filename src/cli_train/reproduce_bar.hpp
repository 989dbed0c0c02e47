// How far the jobs of `cmanp reproduce run` are, as a bar: those that train tell by what their runs write down.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "experiments/jobs.hpp"

namespace cmanp::cli_train {

class ReproduceBar {
 public:
  explicit ReproduceBar(const std::vector<experiments::Job>& jobs);

  void look(const std::vector<const experiments::Job*>& at_work);  // as often as one likes
  void ended(const experiments::Job& job);                         // done, or failed
  void clear() { bar_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::map<std::string, double> before_;  // the share of a job that was done before
  double ended_ = 0;                      // of the bar's total, by jobs that have ended
  cli::ProgressBar bar_;
  Clock::time_point next_look_{};
};

}  // namespace cmanp::cli_train

// The jobs of `cmanp reproduce run` as commands for other machines, or for a cluster's own scheduler.
#pragma once

#include <string>
#include <vector>

#include "experiments/jobs.hpp"

namespace cmanp::cli_train {

// A line for each job that is to be done, wherever it is run with the same folder; jobs that take over its run stand in
// its line, since they can only follow it. `settings` are those of `cmanp reproduce run` that all have, as words.
std::vector<std::string> lines_for_others(const std::vector<experiments::Job>& jobs,
                                          const std::vector<std::string>& settings, bool slurm);

}  // namespace cmanp::cli_train

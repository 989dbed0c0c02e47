// What all verbs that train have: the run's folder, how it begins, its bar, its end.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "runs/run.hpp"

namespace cmanp::cli_train {

struct RunFlags {
  std::string verb;  // as one types it, such as "train"
  std::string out;
  double minutes = 0;
  bool resume = false, resume_or_start = false;
  bool json = false;
};

void add_run_flags(CLI::App* verb, RunFlags& flags);

// Whether there is a run to go on with; throws Error where there must be one.
bool resumes(const RunFlags& flags);

// Those of the run to go on with; none otherwise.
nlohmann::ordered_json saved_settings(const RunFlags& flags);

// `values` are the settings' flags, by key: with steps among them a run may become longer.
runs::Opening opening(const RunFlags& flags, const std::map<std::string, std::string>& values);

// Goes until the end or a signal. What was stopped leaves the program by cli::Exit.
runs::Progress go_with_bar(runs::Run& run, const RunFlags& flags, std::int64_t steps, bool first = true);

}  // namespace cmanp::cli_train

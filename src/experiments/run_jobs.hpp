// Runs jobs as processes, several at once. Each job is skipped where it is done, taken up where it was left, and alone
// in its folder: other processes and machines may work on other jobs of the same folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/jobs.hpp"

namespace cmanp::experiments {

struct RunOptions {
  std::filesystem::path program;  // that all commands are of
  std::string version;
  std::size_t at_once = 1;
  std::function<int()> stop_signal = [] { return 0; };  // passed on to what runs
  // In the process of a command, instead of the program: whoever has what it needs in memory may do its work there, and
  // end the process. What returns is started as a program.
  std::function<void(const std::vector<std::string>& command)> instead = {};
};

struct Outcome {
  std::size_t finished = 0, before = 0, stopped = 0;
  std::vector<std::string> failed;    // "name: why"
  std::vector<std::string> left_out;  // "name: why"
};

struct RunCalls {
  std::function<void(const Job&)> started = [](const Job&) {};
  std::function<void(const Job&, double seconds)> finished = [](const Job&, double) {};
  std::function<void(const Job&, const std::string& why)> failed = [](const Job&, const std::string&) {};
  std::function<void(const std::vector<const Job*>& at_work)> waited = [](const auto&) {};  // some times a second
};

// A job that fails leaves its log and does not end the others. Throws Error, before anything is started, where a job's
// folder has numbers of other commands or of another version: nothing is mixed.
Outcome run_jobs(const std::vector<Job>& jobs, const RunOptions& options, const RunCalls& calls = {});

}  // namespace cmanp::experiments

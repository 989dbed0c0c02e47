// The tasks that `cmanp eval` is asked to evaluate on: one for each kernel, or for each range of classes, as the kind
// of task has it.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "training/tasks/task.hpp"

namespace cmanp::cli_train {

struct EvalTaskOptions {
  std::string task;                                       // empty: that of the run
  std::map<std::string, std::string> values;              // by key, as written
  std::map<std::string, std::vector<std::string>> lists;  // likewise, of keys that may stand several times
  std::int64_t context = 0;                               // points of every task; 0: drawn
};

struct EvalTask {
  std::shared_ptr<const training::Task> task;
  std::string label;              // "rbf", "0-9"
  nlohmann::ordered_json fields;  // that begin its result: task, kernel, …
};

void add_eval_task_flags(CLI::App* verb, EvalTaskOptions& options);

// `trained` are the settings that the model was trained with, where they are known: they stand in for flags that are
// not given. What has to be made of the data is kept in `cache`. Flags of other tasks are bad usage.
std::vector<EvalTask> make_eval_tasks(const EvalTaskOptions& options, const nlohmann::ordered_json& trained,
                                      const std::filesystem::path& cache);

}  // namespace cmanp::cli_train

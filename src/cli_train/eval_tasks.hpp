// The tasks that `cmanp eval` is asked to evaluate on: one for each kernel, or for each range of classes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "training/tasks/gp_task.hpp"

namespace cmanp::cli_train {

struct EvalTaskOptions {
  std::string task;  // empty: that of the run
  std::vector<std::string> kernels{"rbf", "matern"};
  training::GpSettings gp;
  std::vector<std::string> classes;
  std::string data;
  std::int64_t resolution = 0;
  bool transpose = false;
};

struct EvalTask {
  std::shared_ptr<const training::Task> task;
  std::string label;              // "rbf", "0-9"
  nlohmann::ordered_json fields;  // that begin its result: task, kernel, …
};

void add_eval_task_flags(CLI::App* verb, EvalTaskOptions& options);

// `trained` are the settings that the model was trained with, where they are known: they stand in for flags that are
// not given.
std::vector<EvalTask> make_eval_tasks(const EvalTaskOptions& options, const nlohmann::ordered_json& trained);

}  // namespace cmanp::cli_train

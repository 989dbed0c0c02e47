// cmanp eval: a trained model's log-likelihood on evaluation sets, beside the best that is possible.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/exit.hpp"
#include "cli/judgements.hpp"
#include "cli/model_files.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/eval_tasks.hpp"
#include "cli_train/remembered_settings.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "measures/judgement.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/export.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/model_kind.hpp"
#include "training/trainer/memory.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;

struct EvalOptions {
  std::vector<std::string> models;
  EvalTaskOptions tasks;
  std::uint64_t seed = 0;
  std::size_t batches = 0;  // 0: as many as are usual
  std::size_t block = 0;
  bool last_weights = false;
  std::size_t threads = cli::default_threads();
  std::string cache = training::default_cache().string();
  bool json = false;
};

// A model and what it is evaluated on.
struct Candidate {
  std::string place;  // run or file
  std::shared_ptr<training::NeuralProcess> model;
  std::vector<EvalTask> tasks;
};

training::EvaluationSet make_set(const training::Task& task, const EvalOptions& options) {
  constexpr std::size_t kUsual = 3000;  // of tasks that could go on for ever
  const std::size_t all = task.evaluation_batches();
  const bool endless = all == std::numeric_limits<std::size_t>::max();
  const std::size_t batches = options.batches > 0 ? std::min(all, options.batches) : endless ? kUsual : all;
  cli::ProgressBar bar("making the evaluation set", batches, "batches");
  return training::cached_evaluation_set(task, {options.seed, batches, options.cache, [&](std::size_t done) {
                                                  if (stop_signal() != 0) throw cli::Exit{128 + stop_signal()};
                                                  bar.update(done, done);
                                                }});
}

void check_dimensions(const training::NeuralProcess& model, const training::Task& task, const std::string& where) {
  const training::ModelConfig& config = model.config();
  if (config.dim_x == task.dim_x() && config.dim_y == task.dim_y()) return;
  throw Error(fmt::format("{}: has dim_x {} and dim_y {}, the task {} has {} and {}; name another by --task", where,
                          config.dim_x, config.dim_y, task.name(), task.dim_x(), task.dim_y()));
}

void set_block(training::NeuralProcess& model, std::size_t block) {
  if (!(training::model_kinds().at(model.model_name()).keys & training::kBlocks)) {
    throw Error(fmt::format("--block: only cmanpand predicts in blocks, not {}", model.model_name()));
  }
  model.settings().AND_block_size = static_cast<std::int64_t>(block);
}

Candidate load(const std::string& place, const EvalOptions& options) {
  Candidate candidate{place, nullptr, {}};
  ordered_json settings;
  if (std::filesystem::is_directory(place)) {
    const training::TrainedModel run = training::load_run(place, !options.last_weights);
    candidate.model = run.model;
    settings = to_json(run.settings);
  } else {
    candidate.model = training::open_model(place).model;
    settings = remembered_settings(place);
  }
  candidate.tasks = make_eval_tasks(options.tasks, settings, options.cache);
  for (const EvalTask& what : candidate.tasks) check_dimensions(*candidate.model, *what.task, place);
  if (options.block > 0) set_block(*candidate.model, options.block);
  return candidate;
}

std::vector<double> values_of(const torch::Tensor& tensor) {
  const torch::Tensor doubles = tensor.to(torch::kFloat64).contiguous();
  return {doubles.data_ptr<double>(), doubles.data_ptr<double>() + doubles.numel()};
}

ordered_json evaluate_on(training::NeuralProcess& model, const EvalTask& what, const EvalOptions& options) {
  const training::EvaluationSet set = make_set(*what.task, options);
  training::Evaluation evaluation;
  measures::Judge judge;
  {
    cli::ProgressBar bar(fmt::format("evaluating {}", what.label), set.batches.size(), "batches");
    const auto progress = [&](std::size_t done) {
      bar.update(done, done);
      return stop_signal() == 0;
    };
    evaluation = training::evaluate(model, set, progress, [&](const auto& batch, const auto& each) {
      judge.add(values_of(batch.yt), values_of(each.mean), values_of(each.std),
                static_cast<std::size_t>(batch.yt.size(-1)));
    });
  }
  if (stop_signal() != 0) throw cli::Exit{128 + stop_signal()};
  ordered_json result = what.fields;
  result.update({{"model", model.model_name()},
                 {"log_likelihood", evaluation.log_likelihood},
                 {"standard_error", nullptr},
                 {"tasks", evaluation.tasks},
                 {"limit_joint", nullptr},
                 {"limit_marginal", nullptr}});
  if (evaluation.standard_error) result["standard_error"] = *evaluation.standard_error;
  if (evaluation.limits) {
    result["limit_joint"] = evaluation.limits->joint;
    result["limit_marginal"] = evaluation.limits->marginal;
  }
  result.update(cli::json_of(judge.judgement()));
  return result;
}

std::string text_of(const ordered_json& value, int digits) {
  return value.is_null() ? "unknown" : fmt::format("{:.{}f}", value.get<double>(), digits);
}

void run(const EvalOptions& options) {
  training::keep_freed_memory();
  training::use_threads(static_cast<std::int64_t>(options.threads));
  std::vector<Candidate> candidates;  // all are looked at before anything is computed
  for (const std::string& place : options.models) candidates.push_back(load(place, options));
  std::size_t width = 0;  // of the column that tells several apart
  for (const Candidate& candidate : candidates) width = std::max(width, candidate.place.size());
  const auto place_column = [&](const std::string& text) {
    return candidates.size() > 1 ? fmt::format("{:<{}} ", text, width) : std::string();
  };
  note_stop_signals();
  cli::Output output;
  if (!options.json) {
    output.text(fmt::format("{}{:<16} {:<10} {:>14} {:>9} {:>8} {:>11} {:>8} {:>12} {:>15}\n", place_column("run"),
                            "task", "model", "log-likelihood", "std error", "CRPS", "inside 95 %", "tasks",
                            "limit, joint", "limit, marginal"));
  }
  for (const Candidate& candidate : candidates) {
    for (const EvalTask& what : candidate.tasks) {
      ordered_json result = evaluate_on(*candidate.model, what, options);
      result["run"] = candidate.place;
      if (options.json) {
        cli::print_json(result);
        continue;
      }
      output.text(fmt::format(
          "{}{:<16} {:<10} {:>14.4f} {:>9} {:>8.4f} {:>11.3f} {:>8} {:>12} {:>15}\n", place_column(candidate.place),
          fmt::format("{} {}", result["task"].get<std::string>(), what.label), candidate.model->model_name(),
          result["log_likelihood"].get<double>(), text_of(result["standard_error"], 4),
          result["crps"]["value"].get<double>(), result["bands"].back()["coverage"]["value"].get<double>(),
          result["tasks"].get<std::size_t>(), text_of(result["limit_joint"], 3), text_of(result["limit_marginal"], 3)));
      output.flush();
    }
  }
}

}  // namespace

void add_eval(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* verb = cli::add_verb(app, "eval", "Log-likelihood, CRPS and coverage of trained models on evaluation sets",
                                 "cmanp eval runs/nano --kernel rbf --kernel matern --batches 300");
  verb->add_option("model", options->models, "Runs' folders, model files or names of installed models")
      ->required()
      ->transform(cli::model_by_name())
      ->type_name("RUN|FILE");
  add_eval_task_flags(verb, options->tasks);
  verb->add_option("--batches", options->batches, "Batches of 16 tasks in the set (default: 3000; of pictures, all)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->type_name("N");
  verb->add_option("--seed", options->seed, "Seed of the set")->capture_default_str();
  cli::add_block(verb, options->block, "Targets that cmanpand predicts jointly (default: 5)");
  verb->add_flag("--last-weights", options->last_weights,
                 "Those of the last step as they are: neither averaged nor kept as the best");
  verb->add_option("--cache", options->cache, "Folder to keep evaluation sets and packed pictures in")
      ->capture_default_str()
      ->type_name("FOLDER");
  cli::add_threads(verb, options->threads);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

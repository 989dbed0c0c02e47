// cmanp eval: a trained model's log-likelihood on evaluation sets, beside the best that is possible.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/export.hpp"
#include "training/tasks/gp_task.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;

struct EvalOptions {
  std::string model;
  std::string task = "gp";
  std::vector<std::string> kernels{"rbf", "matern"};
  training::GpSettings gp;
  std::uint64_t seed = 0;
  std::size_t batches = 3000;
  std::size_t block = 0;
  bool last_weights = false;
  std::size_t threads = cli::default_threads();
  std::string cache = training::default_cache().string();
  bool json = false;
};

std::shared_ptr<training::NeuralProcess> load(const EvalOptions& options) {
  if (std::filesystem::is_directory(options.model)) {
    return training::load_run(options.model, !options.last_weights).model;
  }
  return training::open_model(options.model).model;
}

training::EvaluationSet make_set(const training::Task& task, const EvalOptions& options) {
  cli::ProgressBar bar("making the evaluation set", options.batches, "batches");
  return training::cached_evaluation_set(
      task, {options.seed, options.batches, options.cache, [&](std::size_t done) { bar.update(done, done); }});
}

ordered_json evaluate_kernel(training::NeuralProcess& model, const std::string& kernel, const EvalOptions& options) {
  training::GpSettings settings = options.gp;
  settings.kernel = kernel;
  const training::GpTask task(settings);
  const training::EvaluationSet set = make_set(task, options);
  training::Evaluation evaluation;
  {
    cli::ProgressBar bar(fmt::format("evaluating {}", kernel), set.batches.size(), "batches");
    evaluation = training::evaluate(model, set, [&](std::size_t done) {
      bar.update(done, done);
      return stop_signal() == 0;
    });
  }
  if (stop_signal() != 0) throw cli::Exit{128 + stop_signal()};
  ordered_json result{{"task", options.task},
                      {"kernel", kernel},
                      {"variant", settings.variant},
                      {"model", model.model_name()},
                      {"log_likelihood", evaluation.log_likelihood},
                      {"standard_error", evaluation.standard_error},
                      {"tasks", evaluation.tasks},
                      {"limit_joint", nullptr},
                      {"limit_marginal", nullptr}};
  if (evaluation.limits) {
    result["limit_joint"] = evaluation.limits->joint;
    result["limit_marginal"] = evaluation.limits->marginal;
  }
  return result;
}

std::string limit_text(const ordered_json& value) {
  return value.is_null() ? "unknown" : fmt::format("{:.3f}", value.get<double>());
}

void run(const EvalOptions& options) {
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const auto model = load(options);
  if (model->config().dim_x != 1 || model->config().dim_y != 1) {
    throw Error(fmt::format("{}: has dim_x {} and dim_y {}, task gp has 1 and 1", options.model, model->config().dim_x,
                            model->config().dim_y));
  }
  if (options.block > 0) {
    if (model->model_name() != "cmanpand") {
      throw Error(fmt::format("--block: only cmanpand predicts in blocks, not {}", model->model_name()));
    }
    model->settings().AND_block_size = static_cast<std::int64_t>(options.block);
  }
  note_stop_signals();
  cli::Output output;
  if (!options.json) {
    output.text(fmt::format("{:<16} {:<10} {:>14} {:>9} {:>8} {:>12} {:>15}\n", "task", "model", "log-likelihood",
                            "std error", "tasks", "limit, joint", "limit, marginal"));
  }
  for (const std::string& kernel : options.kernels) {
    const ordered_json result = evaluate_kernel(*model, kernel, options);
    if (options.json) {
      cli::print_json(result);
      continue;
    }
    output.text(fmt::format(
        "{:<16} {:<10} {:>14.4f} {:>9.4f} {:>8} {:>12} {:>15}\n", fmt::format("{} {}", options.task, kernel),
        model->model_name(), result["log_likelihood"].get<double>(), result["standard_error"].get<double>(),
        result["tasks"].get<std::size_t>(), limit_text(result["limit_joint"]), limit_text(result["limit_marginal"])));
    output.flush();
  }
}

}  // namespace

void add_eval(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* verb = cli::add_verb(app, "eval", "Log-likelihood of a trained model on evaluation sets",
                                 "cmanp eval runs/nano --kernel rbf --kernel matern --batches 300");
  verb->add_option("model", options->model, "A run's folder or a model file")->required()->type_name("RUN|FILE");
  verb->add_option("--task", options->task, "The task")->check(CLI::IsMember({"gp"}))->capture_default_str();
  verb->add_option("--kernel", options->kernels, "rbf, matern, periodic; may stand several times")
      ->check(CLI::IsMember({"rbf", "matern", "periodic"}))
      ->capture_default_str();
  verb->add_option("--variant", options->gp.variant, "paper-code or paper-text: which length scales")
      ->check(CLI::IsMember({"paper-code", "paper-text"}))
      ->capture_default_str();
  verb->add_option("--t-noise", options->gp.t_noise,
                   "Student-t noise times this on every y; -1: times a number drawn anew each time")
      ->capture_default_str();
  verb->add_option("--batches", options->batches, "Batches of 16 tasks in the set")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of the set")->capture_default_str();
  cli::add_block(verb, options->block, "Targets that cmanpand predicts jointly (default: 5)");
  verb->add_flag("--last-weights", options->last_weights, "Not the averaged weights of a run that has them");
  verb->add_option("--cache", options->cache, "Folder to keep evaluation sets in")
      ->capture_default_str()
      ->type_name("FOLDER");
  cli::add_threads(verb, options->threads);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

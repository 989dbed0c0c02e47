// cmanp train: trains a model on a task, in a folder that holds all of the run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmanp/error.hpp>
#include <cmanp/model.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "cli/exit.hpp"
#include "cli/model_files.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/prepare_data.hpp"
#include "cli_train/run_flags.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "files/json.hpp"
#include "runs/minutes.hpp"
#include "training/distributed/group.hpp"
#include "training/distributed/launcher.hpp"
#include "training/distributed/share.hpp"
#include "training/trainer/task_problem.hpp"

namespace cmanp::cli_train {
namespace {

struct TrainOptions {
  SettingsFlags settings;
  RunFlags run;
  int processes = 1;
  double timeout = 600;  // seconds
  std::string cache = training::default_cache().string();
};

using Kept = std::optional<training::KeptWeights>;

// Which weights whoever asks the run is answered by, and why.
std::string about_kept(const training::KeptWeights& kept, const runs::Progress& progress) {
  const auto validation = [](double value) { return fmt::format("validation {:.4g}", value); };
  if (kept.step == progress.step) {
    return fmt::format("kept the last step, {}, {}: none was better", kept.step, validation(kept.log_likelihood));
  }
  const std::string last = progress.evaluated_step == progress.step && progress.log_likelihood
                               ? fmt::format("; the last had {:.4g}", *progress.log_likelihood)
                               : "";
  return fmt::format("kept step {}, {}{}{}", kept.step, validation(kept.log_likelihood), last,
                     kept.step == 0 ? ": no step was better than what it started from" : "");
}

void print_result(const RunFlags& flags, const training::Settings& settings, const runs::Progress& progress,
                  const Kept& kept) {
  nlohmann::ordered_json result{{"run", flags.out},      {"task", settings.task}, {"model", settings.model},
                                {"step", progress.step}, {"loss", progress.loss}, {"log_likelihood", nullptr}};
  if (progress.log_likelihood) result["log_likelihood"] = *progress.log_likelihood;
  if (kept) {
    result["kept_step"] = kept->step;
    if (flags.json) result["kept_log_likelihood"] = kept->log_likelihood;  // the note says it to people
    cli::note(about_kept(*kept, progress));
  }
  if (flags.json) {
    cli::print_json(result);
  } else {
    if (!progress.log_likelihood) result.erase("log_likelihood");  // nobody asked for an evaluation
    cli::print_fields(result);
  }
}

// Series are signals: a model of these that is installed saves most of the way there (docs/tables.md).
constexpr const char* kModelOfSignals = "universal";

bool starts_from_signals(const training::Settings& settings) {
  if (settings.task != "table" || settings.config.coordinates != Coordinates::relative) return false;
  const std::vector<std::string> installed = cli::installed_models();
  if (std::find(installed.begin(), installed.end(), kModelOfSignals) == installed.end()) {
    cli::note(fmt::format("weights are fresh: no model called {} is installed to start from (CMANP_MODELS)",
                          kModelOfSignals));
    return false;
  }
  const Config theirs = Model::load(cli::find_model(kModelOfSignals)).config();
  return theirs.relative() && std::cmp_equal(theirs.d_model, settings.config.d_model) &&
         std::cmp_equal(theirs.nhead, settings.config.nhead);
}

training::Settings settings_of(const TrainOptions& options) {
  const nlohmann::ordered_json saved = saved_settings(options.run);
  training::Settings settings = settings_from(options.settings, saved);
  const bool open = saved.empty() && settings.start.empty() && !options.settings.values.contains("start");
  if (open && starts_from_signals(settings)) settings.start = kModelOfSignals;
  settings.start = settings.start == "none" ? "" : cli::find_model(settings.start);
  return settings;
}

// Rank 0's are everybody's: it alone may have the folder of a run to resume.
training::Settings settings_of(const TrainOptions& options, const training::Group& group) {
  if (group.size() == 1) return settings_of(options);
  const std::string own = group.first() ? training::to_json(settings_of(options)).dump() : std::string();
  return training::parse_settings(files::parse_json(group.take_from_first(own), "rank 0's settings"), "");
}

// A run that is resumed has the steps that fitted at its start.
void fit_steps(training::Settings& settings, const RunFlags& flags) {
  if (resumes(flags)) {
    settings.steps = saved_settings(flags)["steps"].get<std::int64_t>();
    return;
  }
  training::TaskProblem trial(settings);
  settings.steps = runs::steps_within(flags.minutes, trial, settings.warmup, cli::note);
}

void train(const TrainOptions& options, const training::Group& group) {
  training::Settings settings = settings_of(options, group);
  settings.cache = options.cache;
  prepare_data(settings);
  if (options.run.minutes > 0) fit_steps(settings, options.run);
  training::TaskProblem problem(settings, group, options.cache);
  runs::Run run(problem, options.run.out, opening(options.run, options.settings.values));
  if (group.first()) {
    const std::string processes = group.size() > 1 ? fmt::format(", {} processes", group.size()) : "";
    cli::note(fmt::format("{} with {} parameters, steps {} to {}, in {}{}", settings.model,
                          problem.model().parameter_count(), run.progress().step, settings.steps, options.run.out,
                          processes));
    const bool fresh = run.progress().step == 0 && !settings.start.empty();
    if (fresh) cli::note(fmt::format("weights start as those of {} where they agree (--start)", settings.start));
  }
  const runs::Progress progress = go_with_bar(run, options.run, settings.steps, group.first());
  if (group.first()) print_result(options.run, settings, progress, problem.kept());
}

// As one of the processes that a launcher started.
void train_as(const training::World& world, const TrainOptions& options) {
  try {
    train(options,
          training::Group(world, std::chrono::milliseconds(static_cast<std::int64_t>(1000 * options.timeout))));
  } catch (const Error& error) {
    throw Error(fmt::format("rank {}: {}", world.rank, error.what()));
  }
}

// Starts them all on this machine.
void launch(const TrainOptions& options) {
  training::share_of(settings_of(options).batch, 0, options.processes);  // what is wrong is said once, and now
  note_stop_signals();
  throw cli::Exit{training::launch(options.processes, stop_signal)};
}

void run(const TrainOptions& options) {
  const training::World world = training::read_world();
  if (options.run.minutes > 0 && (world.size > 1 || options.processes > 1)) {
    throw Error("--minutes times the steps of one process; say --steps for several");
  }
  if (world.size > 1) {
    if (options.processes != 1 && options.processes != world.size) {
      throw Error(fmt::format("--processes {} starts processes here, but WORLD_SIZE says that this one is one of {}",
                              options.processes, world.size));
    }
    train_as(world, options);
  } else if (options.processes > 1) {
    launch(options);
  } else {
    train(options, {});
  }
}

// What every way to train has.
void add_train_flags(CLI::App* verb, const std::shared_ptr<TrainOptions>& options) {
  add_run_flags(verb, options->run);
  verb->add_option(
          "--processes", options->processes,
          "Processes on this machine that share every batch, and the cores; the run is the same but for rounding")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--timeout", options->timeout,
                   "How long processes wait for each other, at the start and whenever rank 0 evaluates")
      ->check(cli::number_between(1.0, 1e6))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_option("--cache", options->cache, "Folder for evaluation sets and packed pictures")
      ->capture_default_str()
      ->type_name("FOLDER");
  add_settings_flags(verb, options->settings);
  verb->get_option("--minutes")->excludes("--steps");
  verb->callback([options] { run(*options); });
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  options->run.verb = "train";
  CLI::App* verb = cli::add_verb(
      app, "train", "Trains a model on a task",
      "cmanp train --task gp --model cmanp --preset nano --steps 5000 --out runs/nano\n"
      "  cmanp train --resume --out runs/nano\n"
      "  cmanp train --resume --out runs/nano --steps 10000 --processes 2\n"
      "Ctrl-C saves and leaves; a run that was killed is resumed and ends as the unbroken one would have.\n"
      "On many machines, start it as torchrun does: with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in each\n"
      "process's environment. The processes share every batch; rank 0 alone needs the folder.");
  add_train_flags(verb, options);
}

void add_bandit_train(CLI::App& bandit) {
  auto options = std::make_shared<TrainOptions>();
  options->run.verb = "bandit train";
  options->settings.values["task"] = "wheel";
  CLI::App* verb = cli::add_verb(bandit, "train", "Trains a model on the wheel bandit: train with --task wheel",
                                 "cmanp bandit train --preset wheel --out runs/wheel\n"
                                 "  cmanp bandit train --model tnpd --variant paper-code --out runs/tnpd\n"
                                 "  cmanp export runs/wheel -o wheel.cmanp && cmanp bandit run --model wheel.cmanp");
  add_train_flags(verb, options);
}

}  // namespace cmanp::cli_train

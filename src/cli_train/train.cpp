// cmanp train: trains a model on a task, in a folder that holds all of the run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmanp/error.hpp>
#include <csignal>
#include <memory>

#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/prepare_data.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/step_timing.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "training/distributed/group.hpp"
#include "training/distributed/launcher.hpp"
#include "training/distributed/share.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/threads.hpp"
#include "training/trainer/trainer.hpp"

namespace cmanp::cli_train {
namespace {

using training::Progress;

struct TrainOptions {
  SettingsFlags settings;
  std::string out;
  double minutes = 0;
  bool resume = false;
  int processes = 1;
  double timeout = 600;  // seconds
  std::string cache = training::default_cache().string();
  bool json = false;
};

std::string remark(const Progress& progress) {
  std::string text = fmt::format(", loss {:.4f}", progress.loss);
  if (progress.log_likelihood) text += fmt::format(", log-likelihood {:.4f}", *progress.log_likelihood);
  return text;
}

Progress run_with_bar(training::Trainer& trainer, const training::Settings& settings, const std::string& cache) {
  const std::int64_t first = trainer.progress().step;
  cli::ProgressBar bar("training", static_cast<std::uint64_t>(settings.steps - first), "steps");
  training::TrainerEvents events;
  events.stepped = [&](const Progress& progress) {  // rank 0's alone
    const auto done = static_cast<std::uint64_t>(progress.step - first);
    bar.update(done, done, remark(progress));
  };
  events.should_stop = [] { return stop_signal() != 0; };
  events.note = cli::note;
  events.evaluation_cache = cache;
  return trainer.run(events);
}

void print_result(const TrainOptions& options, const training::Settings& settings, const Progress& progress) {
  nlohmann::ordered_json result{{"run", options.out},    {"task", settings.task}, {"model", settings.model},
                                {"step", progress.step}, {"loss", progress.loss}, {"log_likelihood", nullptr}};
  if (progress.log_likelihood) result["log_likelihood"] = *progress.log_likelihood;
  if (options.json) {
    cli::print_json(result);
  } else {
    cli::print_fields(result);
  }
}

bool resumes(const TrainOptions& options) { return options.resume && runs::holds_run(options.out); }

nlohmann::ordered_json saved_settings(const TrainOptions& options) {
  return runs::read_settings_file(std::filesystem::path(options.out) / runs::kSettingsFile);
}

training::Settings settings_of(const TrainOptions& options) {
  return settings_from(options.settings, resumes(options) ? saved_settings(options) : nlohmann::ordered_json::object());
}

// Rank 0's are everybody's: it alone may have the folder of a run to resume.
training::Settings settings_of(const TrainOptions& options, const training::Group& group) {
  if (group.size() == 1) return settings_of(options);
  const std::string own = group.first() ? training::to_json(settings_of(options)).dump() : std::string();
  return training::parse_settings(nlohmann::ordered_json::parse(group.take_from_first(own)), "");
}

// As many steps as fit. A number of them is all that the run knows, so that it is as repeatable as any other.
void fit_steps(training::Settings& settings, double minutes) {
  training::use_threads(settings.threads);
  const std::vector<training::Batch> batches = some_batches(settings);
  training::TrainingStep step(settings);
  take_steps(step, batches);
  const double seconds = time_steps(step, batches, std::min(20.0, minutes));
  settings.steps = std::max(settings.warmup + 1, static_cast<std::int64_t>(60 * minutes / seconds));
  cli::note(fmt::format("{:.3g} steps a second: {} steps in {} minutes", 1 / seconds, settings.steps, minutes));
}

void train(const TrainOptions& options, const training::Group& group) {
  training::Settings settings = settings_of(options, group);
  prepare_data(settings);
  if (options.minutes > 0 && resumes(options)) {  // with the steps that fitted at its start
    settings.steps = saved_settings(options)["steps"].get<std::int64_t>();
  } else if (options.minutes > 0) {
    fit_steps(settings, options.minutes);
  }
  training::Trainer trainer(settings, options.out, options.resume, group);
  if (group.first()) {
    const std::string processes = group.size() > 1 ? fmt::format(", {} processes", group.size()) : "";
    cli::note(fmt::format("{} with {} parameters, steps {} to {}, in {}{}", settings.model,
                          trainer.model().parameter_count(), trainer.progress().step, settings.steps, options.out,
                          processes));
  }
  note_stop_signals();
  const Progress progress = run_with_bar(trainer, settings, options.cache);
  const bool stopped = progress.step < settings.steps || progress.evaluation_due;
  if (stopped && group.first()) {
    cli::note(fmt::format("stopped and saved at step {} of {}; go on with `cmanp train --resume --out {}`",
                          progress.step, settings.steps, options.out));
  }
  if (stopped) throw cli::Exit{128 + (stop_signal() != 0 ? stop_signal() : SIGTERM)};  // or another's signal
  if (group.first()) print_result(options, settings, progress);
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
  if (options.minutes > 0 && (world.size > 1 || options.processes > 1)) {
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
  verb->add_option("--out,-o", options->out, "The run's folder: settings, metrics, learning curve, checkpoints")
      ->required()
      ->type_name("FOLDER");
  verb->add_option("--minutes", options->minutes,
                   "Instead of --steps: as many as fit, by a timing at the start; evaluations come on top")
      ->check(CLI::Range(0.001, 1e6))
      ->type_name("MINUTES");
  verb->add_flag("--resume", options->resume, "Go on with the run in the folder, if there is one");
  verb->add_option(
          "--processes", options->processes,
          "Processes on this machine that share every batch, and the cores; the run is the same but for rounding")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--timeout", options->timeout,
                   "How long processes wait for each other, at the start and whenever rank 0 evaluates")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_option("--cache", options->cache, "Folder for evaluation sets")->capture_default_str()->type_name("FOLDER");
  add_settings_flags(verb, options->settings);
  verb->get_option("--minutes")->excludes("--steps");
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb = cli::add_verb(
      app, "train", "Trains a model on a task",
      "cmanp train --task gp --model cmanp --preset nano --steps 5000 --out runs/nano\n"
      "  cmanp train --resume --out runs/nano\n"
      "  cmanp train --resume --out runs/nano --processes 2\n"
      "Ctrl-C saves and leaves; a run that was killed is resumed and ends as the unbroken one would have.\n"
      "On many machines, start it as torchrun does: with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in each\n"
      "process's environment. The processes share every batch; rank 0 alone needs the folder.");
  add_train_flags(verb, options);
}

void add_bandit_train(CLI::App& bandit) {
  auto options = std::make_shared<TrainOptions>();
  options->settings.values["task"] = "wheel";
  CLI::App* verb = cli::add_verb(bandit, "train", "Trains a model on the wheel bandit: train with --task wheel",
                                 "cmanp bandit train --preset wheel --out runs/wheel\n"
                                 "  cmanp bandit train --model tnpd --variant paper-code --out runs/tnpd\n"
                                 "  cmanp export runs/wheel -o wheel.cmanp && cmanp bandit run --model wheel.cmanp");
  add_train_flags(verb, options);
}

}  // namespace cmanp::cli_train

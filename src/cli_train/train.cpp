// cmanp train: trains a model on a task, in a folder that holds all of the run.
#include <fmt/format.h>

#include <memory>

#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/prepare_data.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/trainer.hpp"

namespace cmanp::cli_train {
namespace {

using training::Progress;

struct TrainOptions {
  SettingsFlags settings;
  std::string out;
  bool resume = false;
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
  events.stepped = [&](const Progress& progress) {
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

void run(const TrainOptions& options) {
  nlohmann::ordered_json base = nlohmann::ordered_json::object();
  if (options.resume && training::holds_run(options.out)) {
    base = training::read_settings_file(std::filesystem::path(options.out) / "settings.json");
  }
  const training::Settings settings = settings_from(options.settings, base);
  prepare_data(settings);
  training::Trainer trainer(settings, options.out, options.resume);
  cli::note(fmt::format("{} with {} parameters, steps {} to {}, in {}", settings.model,
                        trainer.model().parameter_count(), trainer.progress().step, settings.steps, options.out));
  note_stop_signals();
  const Progress progress = run_with_bar(trainer, settings, options.cache);
  if (progress.step < settings.steps) {
    cli::note(fmt::format("stopped and saved at step {} of {}; go on with `cmanp train --resume --out {}`",
                          progress.step, settings.steps, options.out));
    throw cli::Exit{128 + stop_signal()};
  }
  print_result(options, settings, progress);
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb = cli::add_verb(
      app, "train", "Trains a model on a task",
      "cmanp train --task gp --model cmanp --preset nano --steps 5000 --out runs/nano\n"
      "  cmanp train --resume --out runs/nano\n"
      "Ctrl-C saves and leaves; a run that was killed is resumed and ends as the unbroken one would have.");
  verb->add_option("--out,-o", options->out, "The run's folder: settings, metrics, learning curve, checkpoints")
      ->required()
      ->type_name("FOLDER");
  verb->add_flag("--resume", options->resume, "Go on with the run in the folder, if there is one");
  verb->add_option("--cache", options->cache, "Folder for evaluation sets")->capture_default_str()->type_name("FOLDER");
  add_settings_flags(verb, options->settings);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

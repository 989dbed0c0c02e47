// cmanp events train: trains a model on event sequences.
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/event_settings_flags.hpp"
#include "cli_train/events.hpp"
#include "cli_train/stop_request.hpp"
#include "training/events/event_trainer.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::cli_train {
namespace {

using training::events::EventProgress;

struct EventTrainOptions {
  EventSettingsFlags settings;
  std::string out;
  bool resume = false;
  bool json = false;
};

EventProgress run_with_bar(training::events::EventTrainer& trainer, const training::events::EventSettings& settings) {
  const std::int64_t first = trainer.progress().step;
  cli::ProgressBar bar("training", static_cast<std::uint64_t>(settings.steps - first), "steps");
  training::events::EventTrainerCalls calls;
  calls.stepped = [&](const EventProgress& progress) {
    const auto done = static_cast<std::uint64_t>(progress.step - first);
    std::string remark = fmt::format(", loss {:.4f}", progress.loss);
    if (progress.nll) remark += fmt::format(", validation {:.4f}", *progress.nll);
    bar.update(done, done, remark);
  };
  calls.should_stop = [] { return stop_signal() != 0; };
  calls.note = cli::note;
  return trainer.run(calls);
}

void run(const EventTrainOptions& options) {
  nlohmann::ordered_json base = nlohmann::ordered_json::object();
  if (options.resume && runs::holds_run(options.out)) {
    base = runs::read_settings_file(std::filesystem::path(options.out) / runs::kSettingsFile);
  }
  const training::events::EventSettings settings = event_settings_from(options.settings, base);
  training::events::EventTrainer trainer(settings, options.out, options.resume);
  std::size_t parameters = 0;
  for (const torch::Tensor& parameter : trainer.network().parameters()) {
    parameters += static_cast<std::size_t>(parameter.numel());
  }
  cli::note(fmt::format("{} with {} parameters on {} sequences, from step {} on, in {}", settings.model, parameters,
                        trainer.parts().train.size(), trainer.progress().step, options.out));
  note_stop_signals();
  const EventProgress progress = run_with_bar(trainer, settings);
  if (!trainer.finished()) {
    cli::note(fmt::format("stopped and saved at step {}; go on with `cmanp events train --resume --out {}`",
                          progress.step, options.out));
    throw cli::Exit{128 + (stop_signal() != 0 ? stop_signal() : SIGTERM)};
  }
  const nlohmann::ordered_json result{{"run", options.out},
                                      {"model", settings.model},
                                      {"parameters", parameters},
                                      {"step", progress.step},
                                      {"seconds", progress.seconds},
                                      {"validation_nll", progress.best_nll.value_or(0)},
                                      {"best_step", progress.best_step}};
  if (options.json) {
    cli::print_json(result);
  } else {
    cli::print_fields(result);
  }
}

}  // namespace

void add_events_train(CLI::App& events) {
  auto options = std::make_shared<EventTrainOptions>();
  CLI::App* verb =
      cli::add_verb(events, "train", "Trains a model on event sequences",
                    "cmanp events train --data purchases.txt --model cmhp --minutes 5 --out runs/purchases\n"
                    "  cmanp events train --resume --out runs/purchases\n"
                    "Ctrl-C saves and leaves. The weights that do best on the validation part are kept.");
  verb->add_option("--out,-o", options->out, "The run's folder: settings, metrics, checkpoints, best weights")
      ->required()
      ->type_name("FOLDER");
  verb->add_flag("--resume", options->resume, "Go on with the run in the folder, if there is one");
  add_event_settings_flags(verb, options->settings);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

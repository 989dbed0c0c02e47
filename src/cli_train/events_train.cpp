// cmanp events train: trains a model on event sequences.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/event_settings_flags.hpp"
#include "cli_train/events.hpp"
#include "cli_train/run_flags.hpp"
#include "runs/minutes.hpp"
#include "training/events/event_problem.hpp"

namespace cmanp::cli_train {
namespace {

using training::events::EventParts;
using training::events::EventProblem;
using training::events::EventSettings;

struct EventTrainOptions {
  EventSettingsFlags settings;
  RunFlags run;
};

std::int64_t fitting_steps(const EventSettings& settings, const std::shared_ptr<const EventParts>& parts,
                           double minutes) {
  EventProblem trial(settings, parts);
  return runs::steps_within(minutes, trial, settings.warmup, cli::note);
}

// Minutes of a new run, by a flag or in a file, become its steps, which are all that it knows; a run that is resumed
// has its steps, unless it is an older one that was to end by its time.
runs::Opening settle_steps(EventSettings& settings, const std::shared_ptr<const EventParts>& parts,
                           const EventTrainOptions& options) {
  runs::Opening how = opening(options.run, options.settings.values);
  const double minutes = options.run.minutes > 0 ? options.run.minutes : settings.minutes;
  settings.minutes = 0;
  if (how.other_steps) return how;
  if (!resumes(options.run)) {
    if (minutes > 0) settings.steps = fitting_steps(settings, parts, minutes);
    return how;
  }
  if (options.run.minutes > 0) settings.steps = saved_settings(options.run)["steps"].get<std::int64_t>();
  const runs::RunState state = runs::read_state(runs::checkpoint_of(options.run.out));
  if (training::events::ends_by_time(state)) {
    how.other_steps = true;
    settings.steps = state.step > 0 ? training::events::steps_by_time(state)
                                    : fitting_steps(settings, parts, state.settings["minutes"].get<double>());
  }
  return how;
}

void run(const EventTrainOptions& options) {
  EventSettings settings = event_settings_from(options.settings, saved_settings(options.run));
  const auto parts = std::make_shared<const EventParts>(load_parts(settings));
  for (const std::string& remark : parts->remarks) cli::note(remark);
  const runs::Opening how = settle_steps(settings, parts, options);
  EventProblem problem(settings, parts);
  runs::Run run(problem, options.run.out, how);
  std::size_t parameters = 0;
  for (const torch::Tensor& parameter : problem.network().parameters()) {
    parameters += static_cast<std::size_t>(parameter.numel());
  }
  cli::note(fmt::format("{} with {} parameters on {} sequences, steps {} to {}, in {}", settings.model, parameters,
                        parts->train.size(), run.progress().step, settings.steps, options.run.out));
  const auto start = std::chrono::steady_clock::now();
  const runs::Progress progress = go_with_bar(run, options.run, settings.steps);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::optional<double>& best = progress.best_log_likelihood;
  const nlohmann::ordered_json result{
      {"run", options.run.out},         {"model", settings.model}, {"parameters", parameters},
      {"step", progress.step},          {"seconds", seconds},      {"validation_nll", best ? -*best : 0},
      {"best_step", progress.best_step}};
  if (options.run.json) {
    cli::print_json(result);
  } else {
    cli::print_fields(result);
  }
}

}  // namespace

void add_events_train(CLI::App& events) {
  auto options = std::make_shared<EventTrainOptions>();
  options->run.verb = "events train";
  CLI::App* verb =
      cli::add_verb(events, "train", "Trains a model on event sequences",
                    "cmanp events train --data purchases.txt --model cmhp --minutes 5 --out runs/purchases\n"
                    "  cmanp events train --resume --out runs/purchases\n"
                    "Ctrl-C saves and leaves. The weights that do best on the validation part are kept.");
  add_run_flags(verb, options->run);
  add_event_settings_flags(verb, options->settings);
  verb->get_option("--minutes")->excludes("--steps");
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

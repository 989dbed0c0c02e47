#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "training/kinds/kinds.hpp"
#include "training/model_kind.hpp"
#include "training/tasks/signals_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

constexpr std::int64_t kSignalPoints = 1120, kSignalTargets = 96;
constexpr double kSignalReach = 20;  // half of the widest frame, and the farthest forecasts

SignalsTask make_signals(const Settings& s) {
  const SignalPrior prior = signal_keys().read(s.of_task);
  const ModelKind& model = model_kinds().at(s.model);
  const bool jointly = (model.keys & kJoint) != 0;
  return SignalsTask({prior, s.batch, s.max_points, s.max_targets, model.answers_without_context ? 0 : 1,
                      s.extra_targets,
                      !prior.exact_loss ? Asked::nothing
                      : jointly         ? Asked::jointly
                                        : Asked::each});
}

void fill_in_signals(Settings& s, const nlohmann::ordered_json& document) {
  SignalPrior prior = signal_keys().read(s.of_task);
  if (!document.contains("max_points")) s.max_points = kSignalPoints;
  if (s.max_targets == 0) s.max_targets = kSignalTargets;
  if (!document.contains("exact_loss")) prior.exact_loss = model_kinds().at(s.model).one_normal && !s.context_targets;
  s.of_task = signal_keys().to_json(prior);
}

void check_signals(const Settings& s) {
  if (s.t_noise != 0) throw Error("t_noise is not for task signals, whose noise is its own: see student, noise_high");
  if (signal_keys().read(s.of_task).exact_loss && (s.context_targets || !model_kinds().at(s.model).one_normal)) {
    throw Error(
        "exact_loss of task signals is for models that answer with one normal, and without context_targets: some of "
        "its targets lie where the context does");
  }
  make_signals(s);
}

// Relative coordinates, as the preset of that name has them, at a size for one file of 2 MB.
nlohmann::ordered_json universal() {
  return {{"task", "signals"},       {"coordinates", "relative"}, {"spacing", 0.105},
          {"init", "published"},     {"fourier_features", 0},     {"d_model", 64},
          {"dim_feedforward", 64},   {"num_layers", 3},           {"context_targets", false},
          {"extra_targets", 0},      {"exact_loss", true},        {"steps", 20000},
          {"distinct_layers", false}};
}

nlohmann::ordered_json universal_nano() {
  nlohmann::ordered_json nano = universal();
  nano.update({{"d_model", 32}, {"dim_feedforward", 32}, {"num_layers", 2}, {"lr", 2e-3}});
  return nano;
}

}  // namespace

TaskKind signals_kind() {
  TaskKind kind;
  kind.name = "signals";
  kind.summary = "signals of all kinds, each in the frame of what was observed of it";
  kind.keys = own_keys(signal_keys());
  kind.make = [](const Settings& s) { return std::make_shared<SignalsTask>(make_signals(s)); };
  kind.dimensions = [](const Settings&) { return std::pair<std::int64_t, std::int64_t>{1, 1}; };
  kind.range = [](const Settings&) { return SignalsTask::kX; };
  kind.fill_in = fill_in_signals;
  kind.check = check_signals;
  kind.model_sizes = [](const Settings& s) { return default_config(s.model, "gp"); };
  kind.evaluation.flags = {"kernels", "only_gaussian"};
  for (const SettingsKey& key : signal_keys().described()) {
    if (key.name != "exact_loss") kind.evaluation.inherited.push_back(key.name);
  }
  for (const char* key : {"max_points", "max_targets", "model"}) kind.evaluation.inherited.emplace_back(key);
  kind.evaluation.told = {"kernels", "only_gaussian"};
  kind.presets = {{"universal", universal()}, {"universal-nano", universal_nano()}};
  kind.knows = [](const Settings& s) {
    const SignalPrior prior = signal_keys().read(s.of_task);
    return nlohmann::ordered_json{{"x", {{-kSignalReach, kSignalReach}}},
                                  {"noise", {0, prior.noise_high}},
                                  {"frame", "signal"},
                                  {"prior", "signals, " + prior.kernels}};
  };
  return kind;
}

}  // namespace cmanp::training

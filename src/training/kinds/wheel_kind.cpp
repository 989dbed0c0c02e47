#include "training/kinds/kinds.hpp"
#include "training/model_kind.hpp"
#include "training/tasks/wheel_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

struct WheelKeys {
  std::string variant = "paper-code";
  std::string rewards = "all";
  double drop_y = 0;
};

const KeyTable<WheelKeys>& wheel_keys() {
  static const KeyTable<WheelKeys> table({
      {"variant",
       &WheelKeys::variant,
       "Of wheel: eight fixed problems (paper-code), or new ones with delta uniform (paper-text) or often near 1 (rim)",
       0,
       0,
       {"paper-code", "paper-text", "rim"}},
      {"rewards",
       &WheelKeys::rewards,
       "A point has all arms' rewards, or the arm among its x and the reward of that one (chosen)",
       0,
       0,
       {"all", "chosen"}},
      {"drop_y", &WheelKeys::drop_y, "The share of a training context's rewards that noise replaces", 0, 1},
  });
  return table;
}

WheelTask make_wheel(const Settings& s) {
  const WheelKeys own = wheel_keys().read(s.of_task);
  WheelSettings wheel{own.variant, own.rewards, s.batch, s.max_points, s.max_targets};
  wheel.least_points = model_kinds().at(s.model).answers_without_context ? 0 : 1;
  wheel.drop_y = own.drop_y;
  return WheelTask(wheel);
}

// As published, but for games that are as long as they are played.
void fill_in_wheel(Settings& s, const nlohmann::ordered_json& document) {
  WheelKeys own = wheel_keys().read(s.of_task);
  const bool plain = (model_kinds().at(s.model).keys & kPlain) != 0, chosen = own.rewards == "chosen";
  if (!document.contains("batch")) s.batch = 8;
  if (!document.contains("max_points")) s.max_points = chosen ? 2048 : 512;
  if (!document.contains("max_targets")) s.max_targets = chosen ? 24 : 50;
  if (!document.contains("drop_y")) own.drop_y = chosen || plain ? 0 : 0.5;
  if (!document.contains("variant") && chosen) own.variant = "paper-text";
  s.of_task = wheel_keys().to_json(own);
}

// A player: few latents, games rather than many targets.
nlohmann::ordered_json wheel_player() {
  return {{"task", "wheel"},
          {"rewards", "chosen"},
          {"variant", "rim"},
          {"batch", 8},
          {"max_points", 512},
          {"max_targets", 18},
          {"d_model", 32},
          {"nhead", 2},
          {"dim_feedforward", 64},
          {"num_layers", 2},
          {"num_latents", 32},
          {"num_latents_per_layer", 32},
          {"bound_std", true},
          {"fourier_features", 3},
          {"context_targets", false},
          {"extra_targets", 0},
          {"steps", 8000}};
}

}  // namespace

TaskKind wheel_kind() {
  return {.name = "wheel",
          .summary = "the wheel bandit",
          .keys = own_keys(wheel_keys()),
          .make = [](const Settings& s) { return std::make_shared<WheelTask>(make_wheel(s)); },
          .dimensions = [](const Settings& s) { return WheelTask::dimensions(wheel_keys().read(s.of_task).rewards); },
          .range = [](const Settings&) { return WheelTask::kX; },
          .fill_in = fill_in_wheel,
          .check = [](const Settings& s) { make_wheel(s); },
          .model_sizes = [](const Settings& s) { return default_config(s.model, "wheel"); },
          // Problems that no training has seen, of the kind that the model was trained on.
          .evaluation = {.flags = {"variant", "rewards"},
                         .inherited = {"variant", "rewards", "batch", "max_points", "max_targets", "model"},
                         .each = "",
                         .usual = {},
                         .told = {"variant", "rewards"}},
          .presets = {{"wheel", wheel_player()}},
          .knows =
              [](const Settings&) {
                constexpr Range x = WheelTask::kX;
                return nlohmann::ordered_json{{"x", {{x.low, x.high}, {x.low, x.high}}}, {"prior", "wheel bandit"}};
              }};
}

}  // namespace cmanp::training

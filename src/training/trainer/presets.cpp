// Named starting points for settings.
#include <algorithm>

#include "runtime/config_keys.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/model_kind.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

// What learns fastest of all that we tried; docs/recipe.md has the figures. The first three change the model, which
// records them, and belong to those that read the context through latents.
Json recipe() {
  return {{"residual", "plain"},     {"fourier_features", 4}, {"distinct_layers", true},
          {"init", "inducing"},      {"optimiser", "muon"},   {"lr", 1.5e-3},
          {"warmup", 100},           {"clip", 1.0},           {"ema", 0.999},
          {"context_targets", true}, {"extra_targets", 64}};
}

// Relative coordinates, for functions that are the same everywhere; they start from weights of their own.
Json relative() {
  return {{"coordinates", "relative"},
          {"spacing", 0.105},
          {"residual", "plain"},
          {"num_layers", 4},
          {"lr", 1e-3},
          {"warmup", 100},
          {"clip", 1.0},
          {"ema", 0.998},
          {"context_targets", true},
          {"extra_targets", 64},
          {"exact_loss", true},
          {"train_block_size", 10},
          {"steps", 20000}};
}

// The published size and schedule are the defaults themselves. Model keys apply to the models that have them.
const Json& presets() {
  static const Json table = [] {
    Json fast = recipe();
    fast["steps"] = 6000;
    Json nano = recipe();
    for (const auto& [key, value] : runtime::nano_size) nano[key] = value;
    nano.update({{"dim_hid", 64}, {"dim_lat", 64}, {"lr", 2e-3}, {"steps", 20000}});
    Json all{{"paper", Json::object()}, {"fast", fast}, {"nano", nano}, {"relative", relative()}};
    for (const TaskKind& kind : task_kinds()) {
      for (const auto& [name, keys] : kind.presets.items()) {
        all[name] = recipe();
        all[name].update(keys);
      }
    }
    return all;
  }();
  return table;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, keys] : presets().items()) names.push_back(name);
  return names;
}

Json preset(const std::string& name, const std::string& model, const std::string& task) {
  if (!presets().contains(name)) refuse_name("preset", name, preset_names());
  std::vector<std::string> of_some_model;
  for (const std::string& other : model_names()) {
    for (const std::string& key : config_keys(other)) of_some_model.push_back(key);
  }
  const std::vector<std::string> of_model = config_keys(model);
  const auto has = [](const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  Json keys = Json::object();
  for (const auto& [key, value] : presets()[name].items()) {
    if (key == "init" && !model_kinds().at(model).inducing_start) continue;
    if (key == "exact_loss" && !model_kinds().at(model).one_normal) continue;
    if (!task.empty() && !kinds_with_key(key).empty() && !task_kinds().at(task).has_key(key)) continue;
    if (has(of_model, key) || !has(of_some_model, key)) keys[key] = value;
  }
  return keys;
}

}  // namespace cmanp::training

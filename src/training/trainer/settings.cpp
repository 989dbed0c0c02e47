#include "training/trainer/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <tuple>

#include "files/quote.hpp"
#include "training/inducing_start.hpp"
#include "training/trainer/make_task.hpp"
#include "training/trainer/settings_table.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

void check_together(const Settings& s) {
  if (s.warmup >= s.steps) {
    throw Error(fmt::format("warmup {} leaves nothing of {} steps; make steps more or warmup less", s.warmup, s.steps));
  }
  if (s.decoupled_decay && s.weight_decay == 0) throw Error("decoupled_decay needs a weight_decay above 0");
  if (s.init == "inducing" && !has_inducing_start(s.model)) {
    throw Error(fmt::format("init inducing is for models that read the context through latents, not for {}", s.model));
  }
  if (s.context_chunk > 0 && !s.model.starts_with("cmanp")) {
    throw Error(
        fmt::format("context_chunk is for cmanp and cmanpand, whose latents take in any part of a context by "
                    "itself, not for {}",
                    s.model));
  }
  if (s.config.coordinates == Coordinates::relative && (s.init != "published" || s.context_chunk > 0)) {
    throw Error("coordinates relative has weights to start from of its own, and no context_chunk: leave both out");
  }
  if (s.exact_loss && !knows_truth(s)) {
    throw Error(
        "exact_loss is for task gp without t_noise, which knows the mean and variance of every target, and for models "
        "that answer with one normal: tnpd, tnpnd, eqtnp, lbanp, lbanpnd, cmanp, cmanpand");
  }
  if (s.lr == 0) throw Error("lr is 0: nothing would be learnt");
  check_task(s);
  const auto [dim_x, dim_y] = task_dimensions(s);
  if (s.config.dim_x != dim_x || s.config.dim_y != dim_y) {
    throw Error(fmt::format("task {} has dim_x {} and dim_y {}, the model {} and {}", s.task, dim_x, dim_y,
                            s.config.dim_x, s.config.dim_y));
  }
}

Settings parse(const Json& document) {
  if (!document.is_object()) throw Error("settings must be a JSON object");
  Settings settings;
  Json model_keys = Json::object();
  for (const auto& [name, value] : document.items()) {
    if (trainer_keys().has(name)) {
      trainer_keys().set(settings, name, value);
    } else {
      model_keys[name] = value;
    }
  }
  const std::vector<std::string> of_model = config_keys(settings.model);
  for (const auto& [name, value] : model_keys.items()) {
    if (std::find(of_model.begin(), of_model.end(), name) != of_model.end()) continue;
    std::vector<std::string> known = of_model;
    for (std::string& key : trainer_keys().names()) known.push_back(std::move(key));
    throw Error(
        fmt::format("model {} has no setting {}{}", settings.model, files::quote(name), did_you_mean(name, known)));
  }
  fill_in_task(settings, document);
  ModelConfig config = default_config(settings.model, published_task(settings));
  if (settings.task == "wheel") std::tie(config.dim_x, config.dim_y) = task_dimensions(settings);
  std::tie(config.range_low, config.range_high) = task_range(settings);
  settings.config = parse_config(settings.model, model_keys, config);
  check_together(settings);
  return settings;
}

}  // namespace

std::vector<SettingsKey> settings_keys() {
  std::vector<SettingsKey> keys = trainer_keys().described();
  std::map<std::string, std::vector<std::string>> models;
  std::vector<std::string> order;
  for (const std::string& model : model_names()) {
    for (const std::string& name : config_keys(model)) {
      if (models[name].empty()) order.push_back(name);
      models[name].push_back(model);
    }
  }
  for (const std::string& name : order) {
    if (name == "dim_x" || name == "dim_y") continue;  // the task's
    const Json defaults = all_keys(models[name].front(), ModelConfig{});
    const Json& value = defaults[name];
    const char* type = value.is_boolean()        ? "BOOLEAN"
                       : value.is_number_float() ? "NUMBER"
                       : value.is_number()       ? "INTEGER"
                                                 : "NAME";
    keys.push_back({name, fmt::format("Of {}", fmt::join(models[name], ", ")), type});
  }
  return keys;
}

Settings parse_settings(const Json& document, const std::string& where) {
  return naming(where, [&] { return parse(document); });
}

Json to_json(const Settings& settings) {
  Json document = trainer_keys().to_json(settings);
  document.update(to_json(settings.model, settings.config));
  return document;
}

Json parse_value(const std::string& key, const std::string& text) { return parse_typed(settings_keys(), key, text); }

void check_resumable(const Json& before, const Json& now, const std::string& run) {
  trainer_keys().check_resumable(before, now, run, trainer_keys().to_json({}));
}

}  // namespace cmanp::training

#include "training/trainer/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "files/quote.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/model_kind.hpp"
#include "training/trainer/settings_table.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

void check_together(const Settings& s) {
  if (s.warmup >= s.steps) {
    throw Error(fmt::format("warmup {} leaves nothing of {} steps; make steps more or warmup less", s.warmup, s.steps));
  }
  if (s.decoupled_decay && s.weight_decay == 0) throw Error("decoupled_decay needs a weight_decay above 0");
  if (s.init == "inducing" && !model_kinds().at(s.model).inducing_start) {
    throw Error(fmt::format("init inducing is for models that read the context through latents, not for {}", s.model));
  }
  if (s.context_chunk > 0 && !model_kinds().at(s.model).streams_context) {
    throw Error(
        fmt::format("context_chunk is for cmanp and cmanpand, whose latents take in any part of a context by "
                    "itself, not for {}",
                    s.model));
  }
  if (s.config.coordinates == Coordinates::relative && (s.init != "published" || s.context_chunk > 0)) {
    throw Error("coordinates relative has weights to start from of its own, and no context_chunk: leave both out");
  }
  if (s.keep == kKeepBest && s.eval_every == 0) {
    throw Error(
        "keep best chooses by evaluations, and eval_every 0 makes none: say keep last, or leave eval_every out");
  }
  if (s.lr == 0) throw Error("lr is 0: nothing would be learnt");
  const TaskKind& task = task_kinds().at(s.task);
  task.check(s);
  const auto [dim_x, dim_y] = task.dimensions(s);
  if (s.config.dim_x != dim_x || s.config.dim_y != dim_y) {
    throw Error(fmt::format("task {} has dim_x {} and dim_y {}, the model {} and {}", s.task, dim_x, dim_y,
                            s.config.dim_x, s.config.dim_y));
  }
  if (s.config.coordinates == Coordinates::relative && s.config.features != task.features(s)) {
    throw Error(fmt::format("task {} has {} features, the model {}", s.task, task.features(s), s.config.features));
  }
}

// A key of other tasks says nothing about this one. Runs that are older than the tasks' own keys have all of them, at
// their defaults.
void check_foreign_key(const Settings& settings, const std::string& name, const Json& value) {
  for (const std::string& other : kinds_with_key(name)) {
    for (const SettingsKey& key : task_kinds().at(other).keys.described) {
      if (key.name == name && key.value == value) return;
    }
  }
  throw Error(fmt::format("task {} has no setting {}; it is for {}", settings.task, name,
                          fmt::join(kinds_with_key(name), ", ")));
}

[[noreturn]] void refuse_key(const Settings& settings, const TaskKind& task, const std::string& name) {
  std::vector<std::string> known = config_keys(settings.model);
  for (std::string& key : trainer_keys().names()) known.push_back(std::move(key));
  for (const SettingsKey& key : task.keys.described) known.push_back(key.name);
  throw Error(
      fmt::format("model {} has no setting {}{}", settings.model, files::quote(name), did_you_mean(name, known)));
}

Settings parse(const Json& document) {
  if (!document.is_object()) throw Error("settings must be a JSON object");
  Settings settings;
  for (const auto& [name, value] : document.items()) {
    if (trainer_keys().has(name)) trainer_keys().set(settings, name, value);
  }
  const TaskKind& task = task_kinds().at(settings.task);
  const std::vector<std::string> of_model = config_keys(settings.model);
  Json task_keys = Json::object(), model_keys = Json::object();
  for (const auto& [name, value] : document.items()) {
    if (trainer_keys().has(name)) continue;
    if (task.has_key(name)) {
      task_keys[name] = value;
    } else if (std::find(of_model.begin(), of_model.end(), name) != of_model.end()) {
      model_keys[name] = value;
    } else if (!kinds_with_key(name).empty()) {
      check_foreign_key(settings, name, value);
    } else {
      refuse_key(settings, task, name);
    }
  }
  settings.of_task = task.keys.complete(task_keys);
  task.fill_in(settings, document);
  ModelConfig config = task.model_sizes(settings);
  std::tie(config.dim_x, config.dim_y) = task.dimensions(settings);
  config.features = task.features(settings);
  const Range range = task.range(settings);
  config.range_low = range.low;
  config.range_high = range.high;
  settings.config = parse_config(settings.model, model_keys, config);
  if (settings.config.coordinates != Coordinates::relative) settings.config.features = 0;
  check_together(settings);
  return settings;
}

// One flag for all owners of a key; where several say something else about it, all of it.
void add_key(std::vector<SettingsKey>& keys, const SettingsKey& added) {
  const auto same = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.name == added.name; });
  if (same == keys.end()) return keys.push_back(added);
  same->list = same->list || added.list;
  if (same->description != added.description) same->description += ". " + added.description;
  for (const std::string& choice : added.choices) {
    if (std::find(same->choices.begin(), same->choices.end(), choice) == same->choices.end()) {
      same->choices.push_back(choice);
    }
  }
}

const char* type_of(const Json& value) {
  return value.is_boolean() ? "BOOLEAN" : value.is_number_float() ? "NUMBER" : value.is_number() ? "INTEGER" : "NAME";
}

}  // namespace

std::vector<SettingsKey> settings_keys() {
  std::vector<SettingsKey> keys = trainer_keys().described();
  for (const TaskKind& kind : task_kinds()) {
    for (SettingsKey key : kind.keys.described) {
      key.owner = fmt::format("Task {}", fmt::join(kinds_with_key(key.name), ", "));
      add_key(keys, key);
    }
  }
  std::map<std::string, std::vector<std::string>> models;
  for (const std::string& model : model_names()) {
    for (const std::string& name : config_keys(model)) models[name].push_back(model);
  }
  for (const std::string& model : model_names()) {
    for (const ModelKey& key : model_keys(model)) {
      if (key.name == "dim_x" || key.name == "dim_y" || key.name == "features") continue;  // the task's
      add_key(keys, {key.name, key.meaning, type_of(key.value), key.value, key.choices, false,
                     fmt::format("Model {}", fmt::join(models[key.name], ", "))});
    }
  }
  return keys;
}

Settings parse_settings(const Json& document, const std::string& where) {
  return naming(where, [&] { return parse(document); });
}

Json to_json(const Settings& settings) {
  Json document = trainer_keys().to_json(settings);
  document.update(settings.of_task);
  document.update(to_json(settings.model, settings.config));
  return document;
}

// A name may be a number of one task and a word of another: what suits any of them is left to the task to check.
Json parse_value(const std::string& key, const std::string& text) {
  try {
    return parse_typed(settings_keys(), key, text);
  } catch (const Error&) {
    for (const TaskKind& kind : task_kinds()) {
      const std::vector<SettingsKey>& own = kind.keys.described;
      const auto named = [&](const SettingsKey& one) { return one.name == key; };
      if (std::none_of(own.begin(), own.end(), named)) continue;
      try {
        return parse_typed(own, key, text);
      } catch (const Error&) {  // what the first said is told
      }
    }
    throw;
  }
}

void check_resumable(const Json& before, const Json& now, const std::string& run) {
  std::vector<SettingsKey> keys = trainer_keys().all();
  if (const TaskKind* task = task_kinds().find(now.value("task", ""))) {
    keys.insert(keys.end(), task->keys.described.begin(), task->keys.described.end());
  }
  for (const ModelKey& key : model_keys(now.value("model", ""))) keys.push_back({key.name, "", "", key.value});
  check_resumable(keys, before, now, run);
}

}  // namespace cmanp::training

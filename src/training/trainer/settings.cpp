#include "training/trainer/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <tuple>

#include "cli/suggest.hpp"
#include "files/quote.hpp"
#include "training/inducing_start.hpp"
#include "training/trainer/make_task.hpp"
#include "training/trainer/settings_table.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

const TrainerKey* find_key(const std::string& name) {
  const auto& keys = trainer_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const TrainerKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> known_keys(const std::string& model) {
  std::vector<std::string> names = config_keys(model);
  for (const TrainerKey& key : trainer_keys()) names.emplace_back(key.name);
  return names;
}

// Sets one of the trainer's keys, checked by itself.
struct Setter {
  Settings& settings;
  const TrainerKey& key;
  const Json& value;

  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error(fmt::format("{} must be {}, not {}", key.name, wanted,
                            files::quote(value.dump(-1, ' ', false, Json::error_handler_t::replace))));
  }

  double number() const {
    const double result = value.get<double>();
    if (!(result >= key.least && result <= key.most)) fail(fmt::format("from {} to {}", key.least, key.most));
    return result;
  }

  void operator()(std::string Settings::*member) const {
    if (!value.is_string()) fail("a name");
    const auto name = value.get<std::string>();
    if (!key.choices.empty() && std::find(key.choices.begin(), key.choices.end(), name) == key.choices.end()) {
      fail(fmt::format("one of {}", fmt::join(key.choices, ", ")));
    }
    settings.*member = name;
  }
  void operator()(std::int64_t Settings::*member) const {
    if (!value.is_number_integer()) fail("a whole number");
    settings.*member = static_cast<std::int64_t>(number());
  }
  void operator()(double Settings::*member) const {
    if (!value.is_number()) fail("a number");
    settings.*member = number();
  }
  void operator()(bool Settings::*member) const {
    if (!value.is_boolean()) fail("true or false");
    settings.*member = value.get<bool>();
  }
};

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
    const TrainerKey* key = find_key(name);
    if (key != nullptr) {
      std::visit(Setter{settings, *key, value}, key->member);
    } else {
      model_keys[name] = value;
    }
  }
  const std::vector<std::string> of_model = config_keys(settings.model);
  for (const auto& [name, value] : model_keys.items()) {
    if (std::find(of_model.begin(), of_model.end(), name) != of_model.end()) continue;
    const std::string near = cli::nearest(name, known_keys(settings.model));
    throw Error(fmt::format("model {} has no setting {}{}", settings.model, files::quote(name),
                            near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  fill_in_task(settings, document);
  ModelConfig config = default_config(settings.model, published_task(settings));
  if (settings.task == "wheel") std::tie(config.dim_x, config.dim_y) = task_dimensions(settings);
  settings.config = parse_config(settings.model, model_keys, config);
  check_together(settings);
  return settings;
}

}  // namespace

std::vector<SettingsKey> settings_keys() {
  static const char* const types[] = {"NAME", "INTEGER", "NUMBER", "BOOLEAN"};  // in the order of the variant
  std::vector<SettingsKey> keys;
  for (const TrainerKey& key : trainer_keys()) keys.push_back({key.name, key.description, types[key.member.index()]});
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
    const Json defaults = to_json(models[name].front(), ModelConfig{});
    const Json& value = defaults[name];
    const char* type = value.is_boolean() ? "BOOLEAN" : value.is_number() ? "INTEGER" : "NAME";
    keys.push_back({name, fmt::format("Of {}", fmt::join(models[name], ", ")), type});
  }
  return keys;
}

Settings parse_settings(const Json& document, const std::string& where) {
  try {
    return parse(document);
  } catch (const Error& error) {
    throw Error(where.empty() ? std::string(error.what()) : fmt::format("{}: {}", where, error.what()));
  }
}

Json to_json(const Settings& settings) {
  Json document;
  for (const TrainerKey& key : trainer_keys()) {
    std::visit([&](auto member) { document[key.name] = settings.*member; }, key.member);
  }
  document.update(to_json(settings.model, settings.config));
  return document;
}

Json parse_value(const std::string& key, const std::string& text) {
  for (const SettingsKey& known : settings_keys()) {
    if (known.name != key) continue;
    if (known.type == "NAME") return text;
    const Json value = Json::parse(text, nullptr, false);
    if (known.type == "BOOLEAN" && !value.is_boolean()) throw Error("must be true or false");
    if (known.type == "INTEGER" && !value.is_number_integer()) throw Error("must be a whole number");
    if (known.type == "NUMBER" && !value.is_number()) throw Error("must be a number");
    return value;
  }
  throw Error(fmt::format("there is no setting {}", files::quote(key)));
}

void check_resumable(const Json& before, const Json& now, const std::string& run) {
  const Json defaults = to_json(Settings());
  for (const auto& [name, value] : now.items()) {
    const TrainerKey* key = find_key(name);
    if (key != nullptr && key->may_change) continue;
    if (key != nullptr && !before.contains(name) && defaults[name] == value) continue;  // the run is older than the key
    if (before.contains(name) && before[name] == value) continue;
    throw Error(fmt::format("{} has {} {}, not {}: a run goes on with its own settings; start another for others", run,
                            name, before.contains(name) ? before[name].dump() : "unset", value.dump()));
  }
}

}  // namespace cmanp::training

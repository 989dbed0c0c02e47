#include "cli_train/settings_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <iterator>
#include <string_view>

#include "base/lower.hpp"
#include "cli/help.hpp"

namespace cmanp::cli_train {
namespace {

using Json = nlohmann::ordered_json;

// What help shows of the settings, before anybody asks for all.
constexpr std::string_view kShown[] = {"task", "data", "model", "batch", "steps", "lr", "seed", "threads"};

bool is_shown(const std::string& key) {
  return std::find(std::begin(kShown), std::end(kShown), key) != std::end(kShown);
}

// As CLI11 shows it, in brackets behind the type.
std::string default_text(const Json& value) {
  if (value.is_null() || value == "") return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string flag_name(const std::string& key) {
  std::string name = base::lower(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

CLI::Option* add_key_flag(CLI::App* verb, const training::SettingsKey& key,
                          std::map<std::string, std::string>& values) {
  const bool is_switch = key.type == "BOOLEAN";
  CLI::Option* option = verb->add_option_function<std::string>(
      flag_name(key.name),
      [&values, name = key.name, is_switch](const std::string& text) {
        values[name] = is_switch && text.empty() ? "true" : text;
      },
      key.choices.empty() ? key.description : fmt::format("{}: {}", key.description, fmt::join(key.choices, ", ")));
  option->type_name(key.type);
  if (key.list) option->join(',');
  // A switch is on by itself: CLI11 would take its default for the value that is left out.
  return is_switch ? option->expected(0, 1) : option->default_str(default_text(key.value));
}

void update_by_flags(Json& document, const std::map<std::string, std::string>& values,
                     Json (*parse)(const std::string& key, const std::string& text)) {
  for (const auto& [key, text] : values) {
    try {
      document[key] = parse(key, text);
    } catch (const Error& error) {
      throw CLI::ValidationError(flag_name(key), error.what());
    }
  }
}

void add_settings_flags(CLI::App* verb, SettingsFlags& flags) {
  verb->add_option("--preset", flags.preset,
                   "Settings to start from: paper (the published size and schedule, the default), fast (the "
                   "published size by the recipe that learns fastest), nano (the same below 100,000 parameters), "
                   "relative (CMANP in relative "
                   "coordinates, on functions that are the same everywhere), universal (the same on signals of all "
                   "kinds, for data of anybody's), universal-nano (below 100,000 parameters), pictures (CMANP in "
                   "relative coordinates, on pictures of any kind), wheel (a player of the wheel bandit)")
      ->check(CLI::IsMember(training::preset_names()));
  verb->add_option("--settings", flags.file, "A JSON file of settings; flags go before it")->type_name("FILE");
  std::vector<std::pair<CLI::Option*, std::string>> hidden;
  for (const training::SettingsKey& key : training::settings_keys()) {
    CLI::Option* option = add_key_flag(verb, key, flags.values);
    if (is_shown(key.name)) {
      option->group("Settings");
    } else {
      option->group(cli::kMoreGroup);
      hidden.emplace_back(option, key.owner.empty() ? "Settings" : key.owner);
    }
  }
  verb->add_flag_callback(
      "--help-all",
      [hidden] {
        for (const auto& [option, group] : hidden) option->group(group);
        throw CLI::CallForHelp();
      },
      "Help with every setting, by task and model; defaults are those for gp");
}

training::Settings settings_from(const SettingsFlags& flags, const Json& base) {
  const Json file = flags.file.empty() ? Json::object() : runs::read_settings_file(flags.file);
  Json values = Json::object();
  update_by_flags(values, flags.values, training::parse_value);
  Json document = base;
  if (!flags.preset.empty()) {
    const auto named = [&](const char* key, std::string name) {
      for (const Json& source : {base, file, values}) {
        if (source.contains(key) && source[key].is_string()) name = source[key].get<std::string>();
      }
      return name;
    };
    document.update(training::preset(flags.preset, named("model", training::Settings().model), named("task", "")));
  }
  document.update(file);
  document.update(values);
  return training::parse_settings(document, flags.file);
}

}  // namespace cmanp::cli_train

#include "cli_train/settings_flags.hpp"

#include <algorithm>
#include <cmanp/error.hpp>

namespace cmanp::cli_train {
namespace {

using Json = nlohmann::ordered_json;

std::string flag_name(const std::string& key) {
  std::string name = key;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return "--" + name;
}

}  // namespace

CLI::Option* add_key_flag(CLI::App* verb, const training::SettingsKey& key,
                          std::map<std::string, std::string>& values) {
  const bool is_switch = key.type == "BOOLEAN";
  CLI::Option* option = verb->add_option_function<std::string>(
      flag_name(key.name),
      [&values, name = key.name, is_switch](const std::string& text) {
        values[name] = is_switch && text.empty() ? "true" : text;
      },
      key.description);
  if (is_switch) option->expected(0, 1);  // on by itself
  return option->type_name(key.type);
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
                   "coordinates, on functions that are the same everywhere), wheel (a "
                   "player of the wheel bandit)")
      ->check(CLI::IsMember(training::preset_names()));
  verb->add_option("--settings", flags.file, "A JSON file of settings; flags go before it")->type_name("FILE");
  for (const training::SettingsKey& key : training::settings_keys()) {
    add_key_flag(verb, key, flags.values)
        ->group(key.description.starts_with("Of ") ? "Settings of models" : "Settings");
  }
}

training::Settings settings_from(const SettingsFlags& flags, const Json& base) {
  const Json file = flags.file.empty() ? Json::object() : runs::read_settings_file(flags.file);
  Json values = Json::object();
  update_by_flags(values, flags.values, training::parse_value);
  Json document = base;
  if (!flags.preset.empty()) {
    std::string model = training::Settings().model;
    for (const Json& source : {base, file, values}) {
      if (source.contains("model") && source["model"].is_string()) model = source["model"].get<std::string>();
    }
    document.update(training::preset(flags.preset, model));
  }
  document.update(file);
  document.update(values);
  return training::parse_settings(document, flags.file);
}

}  // namespace cmanp::cli_train

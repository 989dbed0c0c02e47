#include "cli_train/settings_flags.hpp"

#include <algorithm>
#include <cmanp/error.hpp>

namespace cmanp::cli_train {
namespace {

using Json = nlohmann::ordered_json;

// "--num-latents" for num_latents: flags are written with hyphens, keys as the reference has them.
std::string flag_name(const std::string& key) {
  std::string name = key;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return "--" + name;
}

Json values_of(const SettingsFlags& flags) {
  Json values = Json::object();
  for (const auto& [key, text] : flags.values) {
    try {
      values[key] = training::parse_value(key, text);
    } catch (const Error& error) {
      throw CLI::ValidationError(flag_name(key), error.what());
    }
  }
  return values;
}

}  // namespace

void add_settings_flags(CLI::App* verb, SettingsFlags& flags) {
  verb->add_option(
          "--preset", flags.preset,
          "Settings to start from: paper (the published size and schedule, the default), fast (the "
          "published size by the recipe that learns fastest), nano (the same below 100,000 parameters), wheel (a "
          "player of the wheel bandit)")
      ->check(CLI::IsMember(training::preset_names()));
  verb->add_option("--settings", flags.file, "A JSON file of settings; flags go before it")->type_name("FILE");
  for (const training::SettingsKey& key : training::settings_keys()) {
    CLI::Option* option = verb->add_option_function<std::string>(
        flag_name(key.name), [&flags, name = key.name](const std::string& text) { flags.values[name] = text; },
        key.description);
    option->type_name(key.type)->group(key.description.starts_with("Of ") ? "Settings of models" : "Settings");
  }
}

training::Settings settings_from(const SettingsFlags& flags, const Json& base) {
  const Json file = flags.file.empty() ? Json::object() : training::read_settings_file(flags.file);
  const Json values = values_of(flags);
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

#include "cli_train/event_settings_flags.hpp"

#include <algorithm>
#include <cmanp/error.hpp>

namespace cmanp::cli_train {
namespace {

std::string event_flag_name(const std::string& key) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

}  // namespace

void add_event_settings_flags(CLI::App* verb, EventSettingsFlags& flags) {
  verb->add_option("--settings", flags.file, "A JSON file of settings; flags go before it")->type_name("FILE");
  for (const training::SettingsKey& key : training::events::event_settings_keys()) {
    verb->add_option_function<std::string>(
            event_flag_name(key.name),
            [&flags, name = key.name](const std::string& text) { flags.values[name] = text; }, key.description)
        ->type_name(key.type)
        ->group("Settings");
  }
}

training::events::EventSettings event_settings_from(const EventSettingsFlags& flags,
                                                    const nlohmann::ordered_json& base) {
  nlohmann::ordered_json document = base;
  if (!flags.file.empty()) document.update(training::read_settings_file(flags.file));
  for (const auto& [key, text] : flags.values) {
    try {
      document[key] = training::events::parse_event_value(key, text);
    } catch (const Error& error) {
      throw CLI::ValidationError(event_flag_name(key), error.what());
    }
  }
  return training::events::parse_event_settings(document, flags.file);
}

}  // namespace cmanp::cli_train

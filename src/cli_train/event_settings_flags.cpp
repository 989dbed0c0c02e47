#include "cli_train/event_settings_flags.hpp"

#include "cli_train/settings_flags.hpp"

namespace cmanp::cli_train {

void add_event_settings_flags(CLI::App* verb, EventSettingsFlags& flags) {
  verb->add_option("--settings", flags.file, "A JSON file of settings; flags go before it")->type_name("FILE");
  for (const training::SettingsKey& key : training::events::event_settings_keys()) {
    add_key_flag(verb, key, flags.values)->group("Settings");
  }
}

training::events::EventSettings event_settings_from(const EventSettingsFlags& flags,
                                                    const nlohmann::ordered_json& base) {
  nlohmann::ordered_json document = base;
  if (!flags.file.empty()) document.update(runs::read_settings_file(flags.file));
  update_by_flags(document, flags.values, training::events::parse_event_value);
  return training::events::parse_event_settings(document, flags.file);
}

}  // namespace cmanp::cli_train

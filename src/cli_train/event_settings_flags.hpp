// Settings of runs on events from the command line: a file, and a flag for every key.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "training/events/settings.hpp"

namespace cmanp::cli_train {

struct EventSettingsFlags {
  std::string file;
  std::map<std::string, std::string> values;  // by key, as written
};

void add_event_settings_flags(CLI::App* verb, EventSettingsFlags& flags);

// Defaults, then `base` (a resumed run's own), file and flags, each over what comes before it.
training::events::EventSettings event_settings_from(
    const EventSettingsFlags& flags, const nlohmann::ordered_json& base = nlohmann::ordered_json::object());

}  // namespace cmanp::cli_train

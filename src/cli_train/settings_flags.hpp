// Settings from the command line: a preset, a file, and a flag for every key.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "training/trainer/settings.hpp"

namespace cmanp::cli_train {

struct SettingsFlags {
  std::string preset;
  std::string file;
  std::map<std::string, std::string> values;  // by key, as written
};

// Help shows the few that most runs need; all of them, by task and model, with --help-all.
void add_settings_flags(CLI::App* verb, SettingsFlags& flags);

// "--num-latents" for num_latents: flags are written with hyphens, keys as the reference has them.
std::string flag_name(const std::string& key);

// For one key.
CLI::Option* add_key_flag(CLI::App* verb, const training::SettingsKey& key, std::map<std::string, std::string>& values);

// What such flags say, over `document`; throws CLI::ValidationError that names the flag where `parse` throws Error.
void update_by_flags(nlohmann::ordered_json& document, const std::map<std::string, std::string>& values,
                     nlohmann::ordered_json (*parse)(const std::string& key, const std::string& text));

// Defaults, then `base` (a resumed run's own), preset, file and flags, each over what comes before it.
training::Settings settings_from(const SettingsFlags& flags,
                                 const nlohmann::ordered_json& base = nlohmann::ordered_json::object());

}  // namespace cmanp::cli_train

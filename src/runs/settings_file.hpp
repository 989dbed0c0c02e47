// Settings as a JSON file: a run's own, and those that a user writes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace cmanp::runs {

// An object, with comments where one likes. Throws Error that names the file, and the key that stands there twice.
nlohmann::ordered_json read_settings_file(const std::filesystem::path& path);
void write_settings_file(const std::filesystem::path& path, const nlohmann::ordered_json& settings);

}  // namespace cmanp::runs

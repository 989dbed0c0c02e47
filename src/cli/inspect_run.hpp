// What a training run's folder, or one of its checkpoints, holds.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace cmanp::cli {

// Throws Error where the folder is neither, or is damaged.
nlohmann::ordered_json describe_run(const std::filesystem::path& folder);

}  // namespace cmanp::cli

// Whether a model file asks for relative coordinates, which the lean half does not run yet.
#pragma once

#include <nlohmann/json.hpp>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

inline bool has_relative_coordinates(const files::Safetensors& file) {
  const auto entry = file.metadata().find("config");
  if (entry == file.metadata().end()) return false;
  const auto config = nlohmann::json::parse(entry->second, nullptr, /*allow_exceptions=*/false);
  return config.is_object() && config.contains("coordinates") && config["coordinates"] == "relative";
}

}  // namespace cmanp::runtime

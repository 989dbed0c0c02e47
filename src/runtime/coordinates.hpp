// Whether a model file asks for relative coordinates, which the lean half does not run yet.
#pragma once

#include <nlohmann/json.hpp>

#include "files/json.hpp"
#include "files/safetensors.hpp"

namespace cmanp::runtime {

inline bool has_relative_coordinates(const files::Safetensors& file) {
  const auto entry = file.metadata().find("config");
  if (entry == file.metadata().end()) return false;
  const auto config = files::try_parse_json(entry->second);
  return config && config->is_object() && config->value("coordinates", "") == "relative";
}

}  // namespace cmanp::runtime

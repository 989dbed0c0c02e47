// Configuration and normalisation as the JSON that a model file's metadata holds.
#pragma once

#include <cmanp/config.hpp>
#include <string>

namespace cmanp::runtime {

// What a metadata entry "format" says a file is.
inline constexpr const char* model_format = "cmanp-model";
inline constexpr const char* model_format_version = "1";
inline constexpr const char* reference_format = "reference-state-dict";

std::string to_json(const Config& config);
std::string to_json(const Normalisation& normalisation);

}  // namespace cmanp::runtime

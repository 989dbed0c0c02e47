// Configuration and normalisation as the JSON that a model file's metadata holds.
#pragma once

#include <cmanp/config.hpp>
#include <cmanp/model.hpp>
#include <string>
#include <string_view>

namespace cmanp::runtime {

// What a metadata entry "format" says a file is.
inline constexpr const char* model_format = "cmanp-model";
inline constexpr const char* model_format_version = "1";
inline constexpr const char* reference_format = "reference-state-dict";

// Whether the lean half runs models of this name.
inline bool runs_lean(std::string_view model) { return model == "cmanp" || model == "cmanpand"; }

std::string to_json(const Config& config);
std::string naming_part(const Config& config);  // what of it names a model, see hash.hpp
std::string to_json(const Normalisation& normalisation);

// A range in a state's metadata; throws Error where what `text` says is none. `name` stands for its file.
std::string to_json(const Range& range);
Range parse_range(const std::string& text, std::size_t dim_x, const std::string& name);

}  // namespace cmanp::runtime

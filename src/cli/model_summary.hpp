// What a model file says of itself, whichever half runs the model.
#pragma once

#include <cstddef>
#include <string>

#include "files/safetensors.hpp"

namespace cmanp::cli {

// An entry of the metadata, or an empty string.
std::string metadata_entry(const files::Safetensors& file, const std::string& key);

// Numbers in all tensors.
std::size_t count_parameters(const files::Safetensors& file);

// The name by which the model's states know it.
std::string hash_of(const files::Safetensors& file);

}  // namespace cmanp::cli

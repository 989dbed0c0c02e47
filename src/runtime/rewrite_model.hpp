// A model file again, with something else said of it.
#pragma once

#include <filesystem>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

// Writes `from` to `to` with these entries of its metadata replaced or added; tensors and all others stay as they are.
void rewrite_model(const files::Safetensors& from, const std::filesystem::path& to, const files::Metadata& entries);

}  // namespace cmanp::runtime

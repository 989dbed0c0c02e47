// A model's name for itself, by which a saved state knows the model it belongs to.
#pragma once

#include <cmanp/config.hpp>
#include <string>
#include <string_view>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

// 32 hexadecimal digits over all that a prediction depends on.
std::string hash_model(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors);

// The same over configuration and normalisation as a file's metadata holds them: of any model of the family.
std::string hash_model(std::string_view config, std::string_view normalisation, const files::TensorViews& tensors);

}  // namespace cmanp::runtime

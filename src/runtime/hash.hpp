// A model's name for itself, by which a saved state knows the model it belongs to.
#pragma once

#include <cmanp/config.hpp>
#include <string>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

// 32 hexadecimal digits over all that a prediction depends on.
std::string hash_model(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors);

}  // namespace cmanp::runtime

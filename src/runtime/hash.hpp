// A model's name for itself, by which a saved state knows the model it belongs to.
#pragma once

#include <cmanp/config.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

// The part of a configuration that names a model: the keys of format version 1 in their order, whatever they say, and a
// later key only where it is not what it is by default. So a new key orphans no state that was ever saved.
std::string naming_part(const nlohmann::ordered_json& settings, const nlohmann::ordered_json& defaults,
                        std::span<const std::string_view> keys_of_version_1);

// 32 hexadecimal digits over all that a prediction depends on: naming parts of the configuration and of the units, and
// tensors.
std::string hash_model(std::string_view config, std::string_view units, const files::TensorViews& tensors);
std::string hash_model(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors);

}  // namespace cmanp::runtime

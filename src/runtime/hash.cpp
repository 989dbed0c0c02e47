#include "runtime/hash.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/config_json.hpp"

namespace cmanp::runtime {

std::string hash_model(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors) {
  return hash_model(to_json(config), to_json(normalisation), tensors);
}

std::string hash_model(std::string_view config, std::string_view normalisation, const files::TensorViews& tensors) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  const auto add = [&state](std::string_view text) { XXH3_128bits_update(state.get(), text.data(), text.size()); };
  add(config);
  add(normalisation);
  for (const auto& [name, tensor] : tensors) {
    add(name);
    XXH3_128bits_update(state.get(), tensor.bytes.data(), tensor.bytes.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace cmanp::runtime

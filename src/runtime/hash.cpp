#include "runtime/hash.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "files/checksum.hpp"
#include "runtime/config_json.hpp"

namespace cmanp::runtime {

std::string naming_part(const nlohmann::ordered_json& settings, const nlohmann::ordered_json& defaults,
                        std::span<const std::string_view> keys_of_version_1) {
  nlohmann::ordered_json part = nlohmann::ordered_json::object();
  for (const std::string_view key : keys_of_version_1) {
    if (settings.contains(key)) part[std::string(key)] = settings[std::string(key)];
  }
  std::map<std::string, nlohmann::ordered_json> later;  // sorted: wherever they stand in a table
  for (const auto& [key, value] : settings.items()) {
    const bool old = std::find(keys_of_version_1.begin(), keys_of_version_1.end(), key) != keys_of_version_1.end();
    if (!old && (!defaults.contains(key) || defaults[key] != value)) later[key] = value;
  }
  for (const auto& [key, value] : later) part[key] = value;
  return part.dump();
}

std::string hash_model(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors) {
  return hash_model(naming_part(config), to_json(normalisation), tensors);
}

std::string hash_model(std::string_view config, std::string_view units, const files::TensorViews& tensors) {
  files::Checksum sum;
  sum.add(config);
  sum.add(units);
  for (const auto& [name, tensor] : tensors) {
    sum.add(name);
    sum.add(tensor.bytes);
  }
  return sum.text();
}

}  // namespace cmanp::runtime

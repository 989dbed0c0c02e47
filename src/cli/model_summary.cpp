#include "cli/model_summary.hpp"

#include "events/event_model.hpp"
#include "runtime/config_json.hpp"
#include "runtime/hash.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::cli {

std::string metadata_entry(const files::Safetensors& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

std::size_t count_parameters(const files::Safetensors& file) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : file.tensors()) count += tensor.elements();
  return count;
}

std::string hash_of(const files::Safetensors& file) {
  const std::string model = metadata_entry(file, "model");
  if (model == events::cmhp_name) {
    return events::hash_model(events::parse_cmhp(file), events::parse_domain(file), file.tensors());
  }
  if (runtime::runs_lean(model)) {
    const Config config = runtime::parse_config(file);
    return runtime::hash_model(config, runtime::parse_normalisation(file, config), file.tensors());
  }
  // Nobody saves states of the others: what their file says names them.
  return runtime::hash_model(metadata_entry(file, "config"), metadata_entry(file, "normalisation"), file.tensors());
}

}  // namespace cmanp::cli

#include "cli/model_summary.hpp"

#include "runtime/hash.hpp"

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
  return runtime::hash_model(metadata_entry(file, "config"), metadata_entry(file, "normalisation"), file.tensors());
}

}  // namespace cmanp::cli

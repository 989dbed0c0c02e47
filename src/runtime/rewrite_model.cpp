#include "runtime/rewrite_model.hpp"

namespace cmanp::runtime {

void rewrite_model(const files::Safetensors& from, const std::filesystem::path& to, const files::Metadata& entries) {
  files::Metadata metadata = from.metadata();
  for (const auto& [key, value] : entries) metadata[key] = value;
  from.check_unchanged();
  files::write_safetensors(to, metadata, from.tensors());
}

}  // namespace cmanp::runtime

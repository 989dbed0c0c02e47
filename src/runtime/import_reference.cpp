#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/finite.hpp"
#include "runtime/config_json.hpp"
#include "runtime/model_data.hpp"
#include "runtime/tensor_names.hpp"

namespace cmanp::runtime {
namespace {

// A file's bytes need not be aligned for floats: copied, not cast.
Tensor copy_finite(const files::Safetensors& file, const std::string& name, const files::TensorView& view) {
  Tensor tensor{view.shape, std::vector<float>(view.elements())};
  std::memcpy(tensor.values.data(), view.bytes.data(), view.bytes.size());
  if (const std::size_t i = base::first_not_finite(tensor.values); i < tensor.values.size()) {
    throw Error(fmt::format("{}: tensor \"{}\" holds {} at element {}", file.name(), name, tensor.values[i], i));
  }
  return tensor;
}

}  // namespace

void check_reference(const files::Safetensors& file) {
  const auto format = file.metadata().find("format");
  if (format == file.metadata().end() || format->second != reference_format) {
    throw Error(fmt::format("{}: not a state dict of the reference: its metadata \"format\" is not \"{}\"", file.name(),
                            reference_format));
  }
}

std::string reference_provenance(const files::Safetensors& file) {
  nlohmann::ordered_json provenance;
  provenance["imported_from"] = std::filesystem::path(file.name()).filename().string();
  const auto task = file.metadata().find("task");
  if (task != file.metadata().end()) provenance["task"] = task->second;
  return provenance.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ModelData import_reference(const std::filesystem::path& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  check_reference(file);
  ModelData data;
  data.config = parse_config(file);
  data.normalisation = parse_normalisation(file, data.config);
  // CMANP-AND inherits a diagonal predictor that it never uses.
  check_tensors(file.tensors(), data.config, file.name(), data.config.diagonal() ? "" : "predictor.");
  for (const auto& [name, shape] : expected_tensors(data.config)) {
    data.tensors[name] = copy_finite(file, name, file.tensors().find(name)->second);
  }
  data.provenance = reference_provenance(file);
  file.check_unchanged();
  return data;
}

}  // namespace cmanp::runtime

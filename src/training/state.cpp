#include "training/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>

#include "files/quote.hpp"
#include "training/model_kind.hpp"

namespace cmanp::training {
namespace {

bool is_unused(const NeuralProcess& model, const std::string& name) {
  const std::string& unused = model_kinds().at(model.model_name()).unused;
  return !unused.empty() && name.starts_with(unused);
}

// Shares the file's memory.
torch::Tensor as_tensor(const files::Safetensors& file, const std::string& name, const files::TensorView& view) {
  if (view.dtype == files::DType::u64) {
    throw Error(fmt::format("{}: tensor \"{}\" is {}, expected F32 or F64", file.name(), name, dtype_name(view.dtype)));
  }
  const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
  // from_blob takes memory that may be written to; it is only read here.
  void* const data = const_cast<std::byte*>(view.bytes.data());
  return torch::from_blob(data, shape, view.dtype == files::DType::f32 ? torch::kFloat32 : torch::kFloat64);
}

}  // namespace

void load_state(NeuralProcess& model, const files::Safetensors& file) {
  const torch::NoGradGuard no_grad;
  const auto parameters = model.named_parameters();
  for (const auto& [name, view] : file.tensors()) {
    if (!parameters.contains(name)) {
      throw Error(fmt::format("{}: tensor {} is in no {} of this configuration", file.name(), files::quote(name),
                              model.model_name()));
    }
  }
  // All is checked before anything is changed.
  std::map<std::string, torch::Tensor> found;
  for (const auto& item : parameters) {
    const std::string& name = item.key();
    const auto view = file.tensors().find(name);
    if (view == file.tensors().end()) {
      if (is_unused(model, name)) continue;
      throw Error(fmt::format("{}: tensor \"{}\" is missing", file.name(), name));
    }
    const torch::Tensor tensor = as_tensor(file, name, view->second);
    if (tensor.sizes() != item.value().sizes()) {
      throw Error(fmt::format("{}: tensor \"{}\" has shape [{}], expected [{}]", file.name(), name,
                              fmt::join(tensor.sizes(), ", "), fmt::join(item.value().sizes(), ", ")));
    }
    if (!tensor.isfinite().all().item<bool>()) {
      throw Error(fmt::format("{}: tensor \"{}\" holds a value that is not a finite number", file.name(), name));
    }
    found.emplace(name, tensor);
  }
  for (const auto& [name, tensor] : found) torch::Tensor(parameters[name]).copy_(tensor);
}

std::map<std::string, torch::Tensor> to_tensors(const NeuralProcess& model) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& item : model.named_parameters()) {
    const torch::Tensor copy = torch::empty(item.value().sizes(), torch::kFloat32);
    tensors.emplace(item.key(), copy.copy_(item.value().detach()));
  }
  return tensors;
}

}  // namespace cmanp::training

#include "training/trainer/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>
#include <cstring>

namespace cmanp::training {
namespace {

files::TensorView view_of_tensor(const std::string& name, const torch::Tensor& tensor) {
  const bool is_float = tensor.scalar_type() == torch::kFloat;
  if (!is_float && tensor.scalar_type() != torch::kDouble) {
    throw Error(fmt::format("tensor {} is neither float nor double", name));
  }
  const std::span bytes(static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes());
  return {is_float ? files::DType::f32 : files::DType::f64, {tensor.sizes().begin(), tensor.sizes().end()}, bytes};
}

}  // namespace

void write_tensors(const std::filesystem::path& path, const files::Metadata& metadata, const NamedTensors& tensors) {
  NamedTensors kept;  // what the views look into
  files::TensorViews views;
  for (const auto& [name, tensor] : tensors) {
    kept[name] = tensor.detach().cpu().contiguous();
    views[name] = view_of_tensor(name, kept[name]);
  }
  files::write_safetensors(path, metadata, views);
}

NamedTensors read_tensors(const files::Safetensors& file) {
  NamedTensors tensors;
  for (const auto& [name, view] : file.tensors()) {
    if (view.dtype == files::DType::u64) continue;
    const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
    torch::Tensor tensor = torch::empty(shape, view.dtype == files::DType::f32 ? torch::kFloat : torch::kDouble);
    if (!view.bytes.empty()) std::memcpy(tensor.data_ptr(), view.bytes.data(), view.bytes.size());
    tensors[name] = tensor;
  }
  file.check_unchanged();
  return tensors;
}

void copy_tensors(const std::string& file, const NamedTensors& from, const NamedTensors& to) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : from) {
    if (!to.contains(name)) throw Error(fmt::format("{}: tensor {} belongs to another model", file, name));
  }
  for (const auto& [name, tensor] : to) {
    const auto found = from.find(name);
    if (found == from.end()) throw Error(fmt::format("{}: tensor {} is missing", file, name));
    if (found->second.sizes() != tensor.sizes()) {
      throw Error(fmt::format("{}: tensor {} has shape {}, not {}", file, name, found->second.sizes().vec(),
                              tensor.sizes().vec()));
    }
    tensor.detach().copy_(found->second);
  }
}

}  // namespace cmanp::training

// Named torch tensors as a safetensors file, there and back.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <string>

#include "files/safetensors.hpp"

namespace cmanp::training {

using NamedTensors = std::map<std::string, torch::Tensor>;

// float and double tensors; replaces `path` atomically.
void write_tensors(const std::filesystem::path& path, const files::Metadata& metadata, const NamedTensors& tensors);

NamedTensors read_tensors(const files::Safetensors& file);

// Copies `from` over `to`: same names and shapes, or an Error that names `file` and the tensor.
void copy_tensors(const std::string& file, const NamedTensors& from, const NamedTensors& to);

}  // namespace cmanp::training

// Checks a file's tensors against what its configuration asks for.
#pragma once

#include <cmanp/config.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/safetensors.hpp"

namespace cmanp::runtime {

// Throws Error that names the first tensor that is missing, has another shape, is not float32, or that no model of
// this configuration has, but for those whose names start with `unused` (where it is not empty). Values are not looked
// at. `file` stands for where the tensors come from.
void check_tensors(const files::TensorViews& tensors, const Config& config, const std::string& file,
                   std::string_view unused = {});

// The same against any list of names and shapes, of a model of this name.
void check_tensors(const files::TensorViews& tensors, const std::map<std::string, std::vector<std::size_t>>& expected,
                   const std::string& model, const std::string& file, std::string_view unused = {});

}  // namespace cmanp::runtime

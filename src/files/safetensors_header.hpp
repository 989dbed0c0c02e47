// The JSON header of a safetensors file as plain values: its form is checked here, not yet what the numbers say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/safetensors.hpp"

namespace cmanp::files {

struct TensorEntry {
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;  // begin and end, counted from the end of the header
};

struct Header {
  Metadata metadata;
  std::map<std::string, TensorEntry> tensors;
};

// `name` stands for the file in messages.
Header parse_header(std::span<const std::byte> json, const std::string& name);

}  // namespace cmanp::files

// Reading and writing safetensors: named tensors behind a JSON header, one file.
// Goals: a file is treated as hostile (every length, offset, shape and name is checked before use, and nothing is
// allocated on a file's word alone); tensors are used where the file's bytes lie, and copied only where that is
// misaligned. What is written has a checksum, which is checked where there is one.
// Not a goal: dtypes that no part of cmanp uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/mapped_file.hpp"

namespace cmanp::files {

enum class DType { f32, f64, u64 };

std::size_t dtype_size(DType dtype);
std::string_view dtype_name(DType dtype);  // "F32", ...

// A tensor in somebody else's memory, row-major, little-endian, aligned for its type.
struct TensorView {
  DType dtype = DType::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;

  std::size_t elements() const;
};

using Metadata = std::map<std::string, std::string>;
using TensorViews = std::map<std::string, TensorView, std::less<>>;

class Safetensors {
 public:
  // Throws Error that names the file and what is wrong with it.
  static Safetensors open(const std::filesystem::path& path);
  // Parses bytes that outlive the result; `name` stands for the file in messages.
  static Safetensors parse(std::span<const std::byte> bytes, const std::string& name);

  const Metadata& metadata() const { return metadata_; }
  const TensorViews& tensors() const { return tensors_; }
  const std::string& name() const { return name_; }

  // Throws Error where a large file was changed since it was opened: to be called once its tensors are read.
  void check_unchanged() const { file_.check_unchanged(); }

 private:
  MappedFile file_;
  std::string name_;
  Metadata metadata_;
  TensorViews tensors_;
  std::vector<std::vector<std::uint64_t>> realigned_;  // copies of tensors that the file holds misaligned
};

// Replaces `path` atomically: what was there stays whole until the new file is complete and on disk.
void write_safetensors(const std::filesystem::path& path, const Metadata& metadata, const TensorViews& tensors);

// The same bytes in memory; `name` stands for the file in messages.
std::vector<std::byte> safetensors_bytes(const std::string& name, const Metadata& metadata, const TensorViews& tensors);

// Views over vectors, for writing.
TensorView view_of(std::span<const float> values, std::vector<std::size_t> shape);
TensorView view_of(std::span<const double> values, std::vector<std::size_t> shape);
TensorView view_of(std::span<const std::uint64_t> values, std::vector<std::size_t> shape);

}  // namespace cmanp::files

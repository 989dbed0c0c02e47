#include "files/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmanp/error.hpp>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "files/quote.hpp"
#include "files/safetensors_checksum.hpp"
#include "files/safetensors_header.hpp"

namespace cmanp::files {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are used as they lie in the file: little-endian");

constexpr std::size_t kLengthSize = 8;
constexpr std::size_t kLongestHeader = 100'000'000;

std::span<const std::byte> header_of(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) throw Error(fmt::format("{}: the file is empty", name));
  if (bytes.size() < kLengthSize) {
    throw Error(fmt::format("{}: {} bytes are too few for a safetensors file", name, bytes.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthSize);
  if (length > bytes.size() - kLengthSize) {
    throw Error(fmt::format("{}: a header of {} bytes is announced, but {} follow (cut short, or no safetensors file)",
                            name, length, bytes.size() - kLengthSize));
  }
  if (length > kLongestHeader) {
    throw Error(fmt::format("{}: a header of {} bytes, at most {} are read", name, length, kLongestHeader));
  }
  return bytes.subspan(kLengthSize, length);
}

DType parse_dtype(const std::string& text, const std::string& where) {
  for (const DType dtype : {DType::f32, DType::f64, DType::u64}) {
    if (text == dtype_name(dtype)) return dtype;
  }
  throw Error(fmt::format("{}: dtype {} is not one that is read here (F32, F64, U64)", where, quote(text)));
}

// Nothing where the number of bytes is beyond what a file can hold.
std::optional<std::uint64_t> bytes_needed(const std::vector<std::uint64_t>& shape, DType dtype) {
  std::uint64_t bytes = dtype_size(dtype);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

TensorView view_entry(const TensorEntry& entry, std::span<const std::byte> data, const std::string& where) {
  const DType dtype = parse_dtype(entry.dtype, where);
  const std::uint64_t begin = entry.offsets[0];
  const std::uint64_t end = entry.offsets[1];
  if (begin > end) throw Error(fmt::format("{}: its data ends at {}, before it begins at {}", where, end, begin));
  if (end > data.size()) {
    throw Error(fmt::format("{}: its data ends at {}, but the file has {} bytes of data (cut short?)", where, end,
                            data.size()));
  }
  const std::optional<std::uint64_t> needed = bytes_needed(entry.shape, dtype);
  if (!needed) throw Error(fmt::format("{}: shape {} is too large", where, entry.shape));
  if (*needed != end - begin) {
    throw Error(
        fmt::format("{}: shape {} needs {} bytes, its offsets give {}", where, entry.shape, *needed, end - begin));
  }
  return {dtype, {entry.shape.begin(), entry.shape.end()}, data.subspan(begin, end - begin)};
}

// Every byte of data must belong to one tensor and to no other.
void check_cover(const TensorViews& tensors, std::span<const std::byte> data, const std::string& name) {
  using Entry = TensorViews::const_pointer;
  std::vector<Entry> order;
  order.reserve(tensors.size());
  for (const auto& entry : tensors) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](Entry left, Entry right) {
    return std::pair(left->second.bytes.data(), left->second.bytes.size()) <
           std::pair(right->second.bytes.data(), right->second.bytes.size());
  });
  const std::byte* end = data.data();
  for (const Entry entry : order) {
    const std::span<const std::byte> bytes = entry->second.bytes;
    if (bytes.data() < end) {
      throw Error(fmt::format("{}: tensor {}: its data overlaps that of another", name, quote(entry->first)));
    }
    if (bytes.data() > end) {
      throw Error(fmt::format("{}: tensor {}: {} bytes before it belong to no tensor", name, quote(entry->first),
                              bytes.data() - end));
    }
    end = bytes.data() + bytes.size();
  }
  if (end != data.data() + data.size()) {
    throw Error(fmt::format("{}: {} bytes at the end belong to no tensor", name, data.data() + data.size() - end));
  }
}

bool aligned(const TensorView& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % dtype_size(tensor.dtype) == 0;
}

}  // namespace

std::size_t dtype_size(DType dtype) { return dtype == DType::f32 ? 4 : 8; }

std::string_view dtype_name(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::u64:
      return "U64";
  }
  return "?";
}

std::size_t TensorView::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

Safetensors Safetensors::open(const std::filesystem::path& path) {
  MappedFile file(path);
  Safetensors result = parse(file.bytes(), path.string());
  result.file_ = std::move(file);  // its bytes stay where they are
  return result;
}

Safetensors Safetensors::parse(std::span<const std::byte> bytes, const std::string& name) {
  const std::span<const std::byte> json = header_of(bytes, name);
  const std::span<const std::byte> data = bytes.subspan(kLengthSize + json.size());
  Header header = parse_header(json, name);

  Safetensors result;
  result.name_ = name;
  result.metadata_ = std::move(header.metadata);
  for (const auto& [tensor, entry] : header.tensors) {
    result.tensors_.emplace(tensor, view_entry(entry, data, fmt::format("{}: tensor {}", name, quote(tensor))));
  }
  check_cover(result.tensors_, data, name);
  take_checksum(result.metadata_, result.tensors_, name);
  for (auto& [tensor, view] : result.tensors_) {
    if (aligned(view) || view.bytes.empty()) continue;
    std::vector<std::uint64_t>& copy = result.realigned_.emplace_back((view.bytes.size() + 7) / 8);
    std::memcpy(copy.data(), view.bytes.data(), view.bytes.size());
    view.bytes = std::as_bytes(std::span(copy)).first(view.bytes.size());
  }
  return result;
}

}  // namespace cmanp::files

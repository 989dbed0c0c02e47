#include "files/safetensors_checksum.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "files/checksum.hpp"
#include "files/quote.hpp"

namespace cmanp::files {
namespace {

// Two entries: where a flipped bit makes one of them unknown, the other one tells.
constexpr const char* kSum = "checksum";
constexpr const char* kKind = "checksum_kind";
constexpr const char* kXxh3 = "xxh3-128";

// Every part with its length, so that what belongs to which is certain.
void add_number(Checksum& sum, std::uint64_t number) { sum.add(std::as_bytes(std::span(&number, 1))); }

void add_text(Checksum& sum, std::string_view text) {
  add_number(sum, text.size());
  sum.add(text);
}

std::string checksum_of(const Metadata& metadata, const TensorViews& tensors) {
  Checksum sum;
  add_number(sum, metadata.size());
  for (const auto& [key, value] : metadata) {
    add_text(sum, key);
    add_text(sum, value);
  }
  for (const auto& [name, tensor] : tensors) {
    add_text(sum, name);
    add_text(sum, dtype_name(tensor.dtype));
    add_number(sum, tensor.shape.size());
    for (const std::size_t extent : tensor.shape) add_number(sum, extent);
    sum.add(tensor.bytes);
  }
  return sum.text();
}

}  // namespace

void add_checksum(Metadata& metadata, const TensorViews& tensors) {
  metadata.erase(kSum);
  metadata.erase(kKind);
  std::string sum = checksum_of(metadata, tensors);
  metadata[kSum] = std::move(sum);
  metadata[kKind] = kXxh3;
}

void take_checksum(Metadata& metadata, const TensorViews& tensors, const std::string& name) {
  const auto sum = metadata.extract(kSum), kind = metadata.extract(kKind);
  if (sum.empty() && kind.empty()) return;
  if (sum.empty() || kind.empty()) throw Error(fmt::format("{}: is damaged: half of its checksum is missing", name));
  if (kind.mapped() != kXxh3) {
    throw Error(fmt::format("{}: has a checksum of a kind that is unknown here, {} (damaged, or by a later cmanp)",
                            name, quote(kind.mapped())));
  }
  if (sum.mapped() != checksum_of(metadata, tensors)) {
    throw Error(fmt::format("{}: is damaged: it is not what was written, by its checksum", name));
  }
}

}  // namespace cmanp::files

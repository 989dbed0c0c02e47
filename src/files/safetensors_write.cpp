#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/atomic_file.hpp"
#include "files/quote.hpp"
#include "files/safetensors.hpp"
#include "files/safetensors_checksum.hpp"

namespace cmanp::files {
namespace {

using Entry = TensorViews::const_pointer;

// Wide types first: with the data starting at a multiple of 8, every tensor is aligned for its type.
std::vector<Entry> in_file_order(const TensorViews& tensors) {
  std::vector<Entry> order;
  order.reserve(tensors.size());
  for (const auto& entry : tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](Entry left, Entry right) {
    return dtype_size(left->second.dtype) > dtype_size(right->second.dtype);
  });
  return order;
}

std::string make_header(const Metadata& metadata, const std::vector<Entry>& order) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const Entry entry : order) {
    const TensorView& tensor = entry->second;
    header[entry->first] = {{"dtype", dtype_name(tensor.dtype)},
                            {"shape", tensor.shape},
                            {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// All that a file holds, checked, in its order.
class Contents {
 public:
  Contents(const std::string& name, Metadata metadata, const TensorViews& tensors) : order_(in_file_order(tensors)) {
    for (const auto& [tensor_name, tensor] : tensors) {
      if (tensor.bytes.size() != tensor.elements() * dtype_size(tensor.dtype)) {
        throw Error(fmt::format("cannot write {}: tensor {}: shape {} does not fit {} bytes", name, quote(tensor_name),
                                tensor.shape, tensor.bytes.size()));
      }
      if (tensor_name == "__metadata__") {
        throw Error(fmt::format("cannot write {}: no tensor can be named {}", name, tensor_name));
      }
    }
    add_checksum(metadata, tensors);
    try {
      header_ = make_header(metadata, order_);
    } catch (const nlohmann::json::exception&) {  // the only reason that there is
      throw Error(fmt::format("cannot write {}: a name or text in it is not UTF-8", name));
    }
  }

  template <typename What>
  void for_each_part(const What& what) const {
    const std::uint64_t length = header_.size();
    what(std::as_bytes(std::span(&length, 1)));
    what(std::as_bytes(std::span(header_)));
    for (const Entry entry : order_) what(entry->second.bytes);
  }

 private:
  std::vector<Entry> order_;
  std::string header_;
};

template <typename T>
TensorView make_view(DType dtype, std::span<const T> values, std::vector<std::size_t> shape) {
  return {dtype, std::move(shape), std::as_bytes(values)};
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const Metadata& metadata, const TensorViews& tensors) {
  const Contents contents(path.string(), metadata, tensors);
  AtomicFile file(path);
  contents.for_each_part([&](std::span<const std::byte> part) { file.write(part); });
  file.commit();
}

std::vector<std::byte> safetensors_bytes(const std::string& name, const Metadata& metadata,
                                         const TensorViews& tensors) {
  const Contents contents(name, metadata, tensors);
  std::vector<std::byte> bytes;
  contents.for_each_part([&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  return bytes;
}

TensorView view_of(std::span<const float> values, std::vector<std::size_t> shape) {
  return make_view(DType::f32, values, std::move(shape));
}

TensorView view_of(std::span<const double> values, std::vector<std::size_t> shape) {
  return make_view(DType::f64, values, std::move(shape));
}

TensorView view_of(std::span<const std::uint64_t> values, std::vector<std::size_t> shape) {
  return make_view(DType::u64, values, std::move(shape));
}

}  // namespace cmanp::files

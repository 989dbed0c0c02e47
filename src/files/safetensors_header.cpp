#include "files/safetensors_header.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/quote.hpp"

namespace cmanp::files {
namespace {

using nlohmann::json;

// Takes the header event by event: what does not belong is refused where it starts, so that neither deep nesting nor
// a flood of values is ever stored.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(const std::string& name) : name_(name) {}

  Header take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::start:
        place_ = Place::top;
        return true;
      case Place::top:
        place_ = key_ == "__metadata__" ? Place::metadata : Place::tensor;
        field_.clear();
        if (place_ == Place::metadata ? has_metadata_ : header_.tensors.contains(key_)) fail("given twice");
        has_metadata_ |= place_ == Place::metadata;
        entry_ = {};
        has_dtype_ = has_shape_ = has_offsets_ = false;
        return true;
      default:
        unexpected("an object");
    }
  }

  bool end_object() override {
    if (place_ == Place::tensor) {
      field_.clear();
      if (!has_dtype_) fail("no dtype");
      if (!has_shape_) fail("no shape");
      if (!has_offsets_) fail("no data_offsets");
      if (entry_.offsets.size() != 2) fail(fmt::format("{} data_offsets, there must be 2", entry_.offsets.size()));
      header_.tensors.emplace(key_, std::move(entry_));
    }
    place_ = place_ == Place::top ? Place::end : Place::top;
    return true;
  }

  bool key(std::string& text) override {
    if (place_ == Place::top) {
      key_ = std::move(text);
      return true;
    }
    field_ = std::move(text);
    if (place_ == Place::tensor) {
      bool* seen = field_ == "dtype"          ? &has_dtype_
                   : field_ == "shape"        ? &has_shape_
                   : field_ == "data_offsets" ? &has_offsets_
                                              : nullptr;
      if (seen == nullptr) fail("unknown field");
      if (std::exchange(*seen, true)) fail("given twice");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") unexpected("a list");
    place_ = Place::numbers;
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::numbers) unexpected("a number");
    constexpr std::size_t kMostDimensions = 16;
    std::vector<std::uint64_t>& list = field_ == "shape" ? entry_.shape : entry_.offsets;
    if (list.size() == kMostDimensions) fail(fmt::format("more than {} numbers", kMostDimensions));
    list.push_back(value);
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(field_, std::move(text)).second) fail("given twice");
    } else if (place_ == Place::tensor && field_ == "dtype") {
      entry_.dtype = std::move(text);
    } else {
      unexpected("a text");
    }
    return true;
  }

  bool number_integer(number_integer_t value) override { unexpected(fmt::format("{}", value)); }
  bool number_float(number_float_t, const std::string& text) override { unexpected(quote(text)); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool null() override { unexpected("null"); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    throw Error(fmt::format("{}: the header is not valid JSON at byte {}", name_, position + 8));
  }

 private:
  enum class Place { start, top, metadata, tensor, numbers, end };

  [[noreturn]] void fail(const std::string& what) const {
    std::string where = place_ == Place::start || place_ == Place::end ? "header"
                        : key_ == "__metadata__"                       ? "__metadata__"
                                                                       : "tensor " + quote(key_);
    if (!field_.empty() && place_ != Place::top) where += ": " + quote(field_);
    throw Error(fmt::format("{}: {}: {}", name_, where, what));
  }

  [[noreturn]] void unexpected(const std::string& what) const {
    const char* wanted = place_ == Place::metadata                      ? "a text"
                         : place_ == Place::numbers                     ? "a whole number that is not negative"
                         : place_ == Place::tensor && field_ == "dtype" ? "a text"
                         : place_ == Place::tensor                      ? "a list of numbers"
                                                                        : "an object";
    fail(fmt::format("{} where there must be {}", what, wanted));
  }

  const std::string& name_;
  Header header_;
  TensorEntry entry_;
  Place place_ = Place::start;
  std::string key_;    // at the top: a tensor's name, or __metadata__
  std::string field_;  // within it
  bool has_metadata_ = false;
  bool has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
};

}  // namespace

Header parse_header(std::span<const std::byte> bytes, const std::string& name) {
  HeaderReader reader(name);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  // The parser takes a zero for the end of the text.
  if (const auto* zero = static_cast<const char*>(std::memchr(text, 0, bytes.size()))) {
    throw Error(fmt::format("{}: the header is not valid JSON at byte {}", name, zero - text + 9));
  }
  json::sax_parse(text, text + bytes.size(), &reader);
  return reader.take();
}

}  // namespace cmanp::files

#include "images/packed_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/checksum.hpp"
#include "files/json.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

// A larger file's checksum would take longer than a start may; damage of its pixels shows as odd pictures only.
constexpr std::size_t kChecked = std::size_t{1} << 30;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> numbers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

PackedHeader parse(std::string_view text) {
  const auto document = files::parse_json(text, "its description");
  if (document.at("version") != kPackedVersion) {
    throw Error(fmt::format("has version {}, not {}: make it again", document["version"].dump(), kPackedVersion));
  }
  PackedHeader header;
  document.at("kind").get_to(header.kind);
  document.at("fingerprint").get_to(header.fingerprint);
  document.at("checksum").get_to(header.checksum);
  const auto size = [&](const char* name, std::size_t least, std::size_t most) {
    const nlohmann::ordered_json& value = document.at(name);
    if (!value.is_number_unsigned() || value < least || value > most) {
      throw Error(fmt::format("says that its {} is {}", name, value.dump()));
    }
    return value.get<std::size_t>();
  };
  header.count = size("count", 1, std::size_t{1} << 32);
  header.left_out = size("left_out", 0, std::size_t{1} << 32);
  header.height = size("height", 2, 1 << 12);
  header.width = size("width", 2, 1 << 12);
  header.channels = size("channels", 1, 3);
  return header;
}

}  // namespace

PackedImages::PackedImages(const fs::path& path) : file_(path) {
  const auto fail = [&](const std::string& why) { throw Error(fmt::format("{}: {}", path.string(), why)); };
  const std::span<const std::byte> all = file_.bytes();
  constexpr std::size_t kMagic = kPackedMagic.size(), kEnd = kMagic + sizeof(std::uint64_t);
  if (!text_of(all).starts_with(kPackedMagic)) fail("is no file of packed pictures");
  if (all.size() < kMagic + kEnd || !text_of(all).ends_with(kPackedMagic)) fail("is cut short");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < sizeof length; ++i) {
    length |= std::to_integer<std::uint64_t>(all[all.size() - kEnd + i]) << (8 * i);
  }
  if (length > all.size() - kMagic - kEnd) fail("is damaged: its description is longer than it is");
  const std::span<const std::byte> data = all.subspan(kMagic, all.size() - kMagic - kEnd - length);
  try {
    header_ = parse(text_of(all.subspan(kMagic + data.size(), length)));
  } catch (const nlohmann::json::exception& error) {
    fail(fmt::format("is damaged: {}", error.what()));
  } catch (const Error& error) {
    fail(error.what());
  }
  if (data.size() != header_.count * (header_.picture_bytes() + 3)) fail("does not have the size that it says");
  pixels_ = numbers(data.first(header_.count * header_.picture_bytes()));
  labels_ = numbers(data.subspan(pixels_.size(), 2 * header_.count));
  splits_ = numbers(data.last(header_.count));
  if (std::any_of(splits_.begin(), splits_.end(), [](std::uint8_t s) { return s > 2; })) fail("is damaged: in splits");
  if (data.size() > kChecked) return;
  files::Checksum sum;
  sum.add(data);
  check_unchanged();
  if (sum.text() != header_.checksum) fail("is damaged: its checksum is another");
}

std::uint16_t PackedImages::label(std::size_t index) const {
  return static_cast<std::uint16_t>(labels_[2 * index] | labels_[2 * index + 1] << 8);
}

bool is_packed(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::string begin(kPackedMagic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kPackedMagic;
}

}  // namespace cmanp::images

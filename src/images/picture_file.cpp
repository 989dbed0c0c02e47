#include "images/picture_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <string_view>

#include "files/mapped_file.hpp"
#include "images/decoders.hpp"

namespace cmanp::images {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view signature;
  const char* name;
};

// Formats that a person may take for readable, so that they are told by name.
constexpr std::array kOthers{Format{"GIF8"sv, "GIF"},        Format{"BM"sv, "BMP"},
                             Format{"RIFF"sv, "WebP"},       Format{"II*\0"sv, "TIFF"},
                             Format{"MM\0*"sv, "TIFF"},      Format{"\0\0\0\x0cJXL "sv, "JPEG XL"},
                             Format{"\xff\x0a"sv, "JPEG XL"}};

Image decode(std::span<const std::byte> bytes, std::size_t most_pixels) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) throw Error("is empty");
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return decode_png(bytes, most_pixels);
  if (text.starts_with("\xff\xd8\xff"sv)) return decode_jpeg(bytes, most_pixels);
  if (text.substr(std::min<std::size_t>(4, text.size())).starts_with("ftyp")) {  // behind a length
    throw Error("is a HEIC or AVIF picture, or a film; only PNG and JPEG are read, convert it first");
  }
  for (const Format& other : kOthers) {
    if (text.starts_with(other.signature)) {
      throw Error(fmt::format("is a {} picture; only PNG and JPEG are read, convert it first", other.name));
    }
  }
  throw Error("is no PNG or JPEG picture");
}

}  // namespace

Image decode_picture(std::span<const std::byte> bytes, const std::string& name, std::size_t most_pixels) {
  try {
    return decode(bytes, most_pixels);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

Image read_picture(const std::filesystem::path& path, std::size_t most_pixels) {
  const files::MappedFile file(path);
  Image image = decode_picture(file.bytes(), path.string(), most_pixels);
  file.check_unchanged();
  return image;
}

}  // namespace cmanp::images

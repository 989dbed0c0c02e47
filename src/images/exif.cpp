#include "images/exif.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace cmanp::images {
namespace {

// A TIFF file's numbers, of either order of bytes; zero behind its end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes) : bytes_(bytes), little_(at(0) == 'I') {}

  std::uint32_t number(std::size_t place, std::size_t bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | at(place + (little_ ? bytes - 1 - i : i));
    return value;
  }

 private:
  std::uint8_t at(std::size_t place) const { return place < bytes_.size() ? bytes_[place] : std::uint8_t{0}; }

  std::span<const std::uint8_t> bytes_;
  bool little_;
};

}  // namespace

int exif_orientation(std::span<const std::uint8_t> marker) {
  using namespace std::string_view_literals;
  constexpr std::string_view kHead = "Exif\0\0"sv;
  constexpr std::size_t kEntry = 12;  // bytes: tag, type, count, value
  constexpr std::uint32_t kOrientation = 0x0112, kShort = 3;
  if (marker.size() < kHead.size() || !std::equal(kHead.begin(), kHead.end(), marker.begin())) return 1;
  const Tiff tiff(marker.subspan(kHead.size()));
  const std::size_t directory = tiff.number(4, 4), entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + kEntry * i;
    if (tiff.number(entry, 2) != kOrientation || tiff.number(entry + 2, 2) != kShort) continue;
    const std::uint32_t value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace cmanp::images

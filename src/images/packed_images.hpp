// Pictures of one size in one file, mapped into memory: what training samples from. docs/packed-images.md has the
// format. All counts come last in the file, as they are known last: broken pictures are left out on the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/mapped_file.hpp"
#include "images/datasets/source.hpp"

namespace cmanp::images {

inline constexpr std::string_view kPackedMagic = "cmanp pictures\r\n";  // begins the file and ends it
inline constexpr int kPackedVersion = 1;

// What the file says of itself.
struct PackedHeader {
  std::string kind;         // of the source
  std::string fingerprint;  // of the source and the options it was made with
  std::string checksum;     // of pixels, labels and splits
  std::size_t count = 0, height = 0, width = 0, channels = 0;
  std::size_t left_out = 0;  // pictures that were broken

  std::size_t picture_bytes() const { return height * width * channels; }
};

class PackedImages {
 public:
  // Throws Error that names the file where it is not whole.
  explicit PackedImages(const std::filesystem::path& path);

  const PackedHeader& header() const { return header_; }

  // Throws Error where the file was changed since it was opened: what was read of it cannot be trusted.
  void check_unchanged() const { file_.check_unchanged(); }

  std::span<const std::uint8_t> pixels(std::size_t index) const {  // [height][width][channels]
    return pixels_.subspan(index * header_.picture_bytes(), header_.picture_bytes());
  }
  std::uint16_t label(std::size_t index) const;
  Split split(std::size_t index) const { return static_cast<Split>(splits_[index]); }

 private:
  PackedHeader header_;
  files::MappedFile file_;
  std::span<const std::uint8_t> pixels_, labels_, splits_;  // of labels: two bytes each, the low one first
};

// Whether a file begins as one does.
bool is_packed(const std::filesystem::path& path);

}  // namespace cmanp::images

// Files for tests, byte by byte: PNG of every kind, also of kinds that cannot be, JPEG, IDX, CIFAR-10.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "images/image.hpp"

namespace cmanp::testing {

// A picture with a different value nearly everywhere, the same every time.
images::Image sample_image(std::size_t height, std::size_t width, std::size_t channels);

struct PngParts {
  std::uint32_t width = 1, height = 1;
  std::uint8_t depth = 8, colour = 0;  // as in the header: 0 grey, 2 colour, 3 palette, 4 and 6 with alpha
  std::string rows;                    // each begins with a byte for its filter, 0
  std::vector<std::pair<std::string, std::string>> chunks = {};  // before the rows: type, content
};
std::string make_png(const PngParts& parts);
std::string make_png(const images::Image& image);
std::string make_png_with_long_text();  // which says to have 1.3 GB that the file does not have

// components: 1 grey, 3 colour, 4 CMYK
std::string make_jpeg(std::uint32_t width, std::uint32_t height, int components, const std::string& samples,
                      bool progressive = false);

std::string make_idx(const std::vector<std::uint32_t>& sizes, const std::string& bytes);
std::string gzipped(const std::string& bytes);

std::string text_of(const images::Image& image);  // its samples as bytes

// IDX files of `count` pictures in each split, picture k of class k % 12: train-…, t10k-….
void write_idx_set(const std::filesystem::path& folder, std::size_t count, std::size_t side, bool compress = false);

}  // namespace cmanp::testing

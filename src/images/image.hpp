// A picture in memory: 8 bits a channel, grey or colour, rows from the top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cmanp::images {

struct Image {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;          // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // [height][width][channels]
  std::vector<std::uint8_t> alpha;   // [height][width], 0 where a pixel is missing; empty: all are there

  std::size_t size() const { return height * width; }
  bool operator==(const Image&) const = default;
};

// The most pixels that a picture to read may have: beyond it is rather a trap than a photograph.
constexpr std::size_t kMostPixels = std::size_t{1} << 26;

// An image of zeros. Throws Error where a size is zero or they ask for more than kMostPixels.
Image make_image(std::size_t height, std::size_t width, std::size_t channels);

// The same in `channels` channels: grey is the usual weighted mean (ITU-R 601) of a colour, a colour of a grey is grey.
Image with_channels(Image image, std::size_t channels);

// Rows for columns, as the official EMNIST files need to stand upright.
Image transposed(const Image& image);

// Upright: what is stored as one of Exif's eight orientations, 1 being upright already.
Image upright(Image image, int orientation);

}  // namespace cmanp::images

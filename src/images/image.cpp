#include "images/image.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

namespace cmanp::images {

Image make_image(std::size_t height, std::size_t width, std::size_t channels) {
  if (height == 0 || width == 0) throw Error(fmt::format("a picture of {}x{} pixels is empty", width, height));
  if (height > kMostPixels / width) {
    throw Error(fmt::format("{}x{} pixels are more than the {} million that a picture may have", width, height,
                            kMostPixels >> 20));
  }
  if (channels != 1 && channels != 3) throw Error(fmt::format("a picture has 1 or 3 channels, not {}", channels));
  return {height, width, channels, std::vector<std::uint8_t>(height * width * channels), {}};
}

Image with_channels(Image image, std::size_t channels) {
  if (image.channels == channels) return image;
  Image result = make_image(image.height, image.width, channels);
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (channels == 3) {
      for (std::size_t c = 0; c < 3; ++c) result.pixels[3 * i + c] = image.pixels[i];
    } else {
      const std::uint8_t* rgb = &image.pixels[3 * i];
      // In 65536ths, as the Python Imaging Library rounds it.
      result.pixels[i] =
          static_cast<std::uint8_t>((rgb[0] * 19595U + rgb[1] * 38470U + rgb[2] * 7471U + 0x8000U) >> 16);
    }
  }
  result.alpha = std::move(image.alpha);
  return result;
}

Image transposed(const Image& image) {
  Image result = make_image(image.width, image.height, image.channels);
  if (!image.alpha.empty()) result.alpha.resize(image.size());
  for (std::size_t row = 0; row < image.height; ++row) {
    for (std::size_t column = 0; column < image.width; ++column) {
      const std::size_t from = row * image.width + column, to = column * image.height + row;
      for (std::size_t c = 0; c < image.channels; ++c) {
        result.pixels[to * image.channels + c] = image.pixels[from * image.channels + c];
      }
      if (!image.alpha.empty()) result.alpha[to] = image.alpha[from];
    }
  }
  return result;
}

namespace {

// Pixels of each row, or rows, the other way round.
template <class T>
void reverse(std::vector<T>& values, std::size_t width, std::size_t channels, bool rows) {
  const std::size_t line = width * channels, height = line == 0 ? 0 : values.size() / line;
  const std::vector<T> before = values;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t from = rows ? (height - 1 - row) * width + column : row * width + width - 1 - column;
      for (std::size_t c = 0; c < channels; ++c) {
        values[row * line + column * channels + c] = before[from * channels + c];
      }
    }
  }
}

void reverse(Image& image, bool rows) {
  reverse(image.pixels, image.width, image.channels, rows);
  reverse(image.alpha, image.width, 1, rows);
}

}  // namespace

Image upright(Image image, int orientation) {
  if (orientation >= 5) image = transposed(image);
  const auto one_of = [&](int a, int b, int c, int d) {
    return orientation == a || orientation == b || orientation == c || orientation == d;
  };
  if (one_of(2, 3, 6, 7)) reverse(image, false);
  if (one_of(3, 4, 7, 8)) reverse(image, true);
  return image;
}

}  // namespace cmanp::images

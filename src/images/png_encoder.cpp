// PNG by libpng, into memory first, so that nothing half-written replaces a file.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <csetjmp>
#include <vector>

#include "files/atomic_file.hpp"
#include "images/picture_file.hpp"

namespace cmanp::images {
namespace {

class PngEncoder {
 public:
  PngEncoder() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, nullptr);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw Error("libpng could not start");
    }
    png_set_write_fn(png_, this, on_write, nullptr);
  }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }

  // `samples`: [height][width][channels], then alpha where there is any.
  std::vector<std::byte> encode(std::size_t height, std::size_t width, int colour_type,
                                std::vector<std::uint8_t> samples) {
    rows_.resize(height);
    for (std::size_t row = 0; row < height; ++row) rows_[row] = &samples[row * (samples.size() / height)];
    if (!write(static_cast<png_uint_32>(height), static_cast<png_uint_32>(width), colour_type)) {
      throw Error(fmt::format("cannot write a PNG: {}", full_ ? "not enough memory" : message_.data()));
    }
    return std::move(bytes_);
  }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto& text = static_cast<PngEncoder*>(png_get_error_ptr(png))->message_;
    std::snprintf(text.data(), text.size(), "%s", message);
    png_longjmp(png, 1);
  }

  static void on_write(png_structp png, png_bytep data, std::size_t count) {
    auto* self = static_cast<PngEncoder*>(png_get_io_ptr(png));
    try {
      const auto* begin = reinterpret_cast<const std::byte*>(data);
      self->bytes_.insert(self->bytes_.end(), begin, begin + count);
    } catch (const std::exception&) {  // none may pass through libpng
      self->full_ = true;
    }
    if (self->full_) png_error(png, "memory");
  }

  bool write(png_uint_32 height, png_uint_32 width, int colour_type) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_IHDR(png_, info_, width, height, 8, colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    png_write_image(png_, rows_.data());
    png_write_end(png_, nullptr);
    return true;
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 200> message_{};
  bool full_ = false;
  std::vector<png_bytep> rows_;
  std::vector<std::byte> bytes_;
};

std::vector<std::uint8_t> with_alpha(const Image& image) {
  std::vector<std::uint8_t> samples;
  samples.reserve(image.pixels.size() + image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto begin = image.pixels.begin() + static_cast<std::ptrdiff_t>(i * image.channels);
    samples.insert(samples.end(), begin, begin + static_cast<std::ptrdiff_t>(image.channels));
    samples.push_back(image.alpha[i]);
  }
  return samples;
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image) {
  const int colour = image.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
  const bool alpha = !image.alpha.empty();
  return PngEncoder().encode(image.height, image.width, alpha ? colour | PNG_COLOR_MASK_ALPHA : colour,
                             alpha ? with_alpha(image) : image.pixels);
}

void write_png(const std::filesystem::path& path, const Image& image) {
  const std::vector<std::byte> bytes = encode_png(image);
  files::write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace cmanp::images

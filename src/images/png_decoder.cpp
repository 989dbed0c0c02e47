// PNG by libpng. It reports failure by longjmp: no function below has an object to destroy between setjmp and the calls
// that may jump.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

#include "images/decoders.hpp"

namespace cmanp::images {
namespace {

constexpr png_alloc_size_t kMostChunkBytes = png_alloc_size_t{8} << 20;  // texts and profiles may be bombs, too

std::uint32_t big_endian(std::span<const std::byte, 4> bytes) {
  std::uint32_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

// What libpng would not refuse: an animation, told by a chunk before the picture, and a chunk that says to be longer
// than the file, for which it makes room first.
void check_chunks(std::span<const std::byte> bytes) {
  constexpr std::size_t kSignature = 8, kBeforeData = 8, kAroundData = 12;  // length, type; checksum of a chunk
  bool before_picture = true;
  for (std::size_t at = kSignature; bytes.size() - at >= kBeforeData;) {
    const std::uint32_t length = big_endian(bytes.subspan(at).first<4>());
    const auto is = [&](const char* type) { return std::memcmp(&bytes[at + 4], type, 4) == 0; };
    if (is("IEND")) return;
    before_picture = before_picture && !is("IDAT");
    if (before_picture && is("acTL")) throw Error("is an animated PNG; take one of its frames");
    const std::size_t whole = length + kAroundData;
    if (whole > bytes.size() - at) throw Error("is a damaged PNG picture: the file is cut short");
    at += whole;
  }
}

class PngDecoder {
 public:
  explicit PngDecoder(std::span<const std::byte> bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw Error("libpng could not start");
    }
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // ours come first
    png_set_chunk_malloc_max(png_, kMostChunkBytes);
    png_set_chunk_cache_max(png_, 128);
  }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Image decode(std::size_t most_pixels) {
    if (!read_header()) fail();
    check_dimensions(height_, width_, most_pixels);
    const std::size_t samples = std::size_t{channels_} + (alpha_ ? 1 : 0);
    rows_bytes_.resize(height_ * width_ * samples);
    rows_.resize(height_);
    for (std::size_t row = 0; row < height_; ++row) rows_[row] = &rows_bytes_[row * width_ * samples];
    if (!read_rows()) fail();
    Image image = make_image(height_, width_, channels_);
    if (!alpha_) {
      image.pixels = std::move(rows_bytes_);
      return image;
    }
    image.alpha.resize(image.size());
    for (std::size_t i = 0; i < image.size(); ++i) {
      std::copy_n(&rows_bytes_[i * samples], image.channels, &image.pixels[i * image.channels]);
      image.alpha[i] = rows_bytes_[i * samples + image.channels];
    }
    return image;
  }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    // A plain array: a string that grows could not be freed.
    std::snprintf(static_cast<PngDecoder*>(png_get_error_ptr(png))->message_.data(), kMessage, "%s", message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}  // of what does not matter to the pixels

  static void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (count > self->rest_.size()) png_error(png, "the file is cut short");
    std::memcpy(to, self->rest_.data(), count);
    self->rest_ = self->rest_.subspan(count);
  }

  [[noreturn]] void fail() const { throw Error(fmt::format("is a damaged PNG picture: {}", message_.data())); }

  // Size and kind. What libpng does to rows is told later: it makes room for them then.
  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    const png_byte type = png_get_color_type(png_, info_);
    const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    channels_ = (type & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
    alpha_ = (type & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
    return true;
  }

  // As 8 bits of grey or colour, whatever they are.
  bool read_rows() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_expand(png_);    // palettes, fewer bits than 8, transparent colours
    png_set_scale_16(png_);  // rounds, does not cut
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) * height_ != rows_bytes_.size())
      png_error(png_, "its rows have a strange length");
    png_read_image(png_, rows_.data());
    png_read_end(png_, nullptr);
    return true;
  }

  static constexpr std::size_t kMessage = 200;

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::span<const std::byte> rest_;
  std::array<char, kMessage> message_{};
  std::uint32_t height_ = 0, width_ = 0, channels_ = 1;
  bool alpha_ = false;
  std::vector<std::uint8_t> rows_bytes_;
  std::vector<png_bytep> rows_;
};

}  // namespace

void check_dimensions(std::size_t height, std::size_t width, std::size_t most_pixels) {
  if (height == 0 || width == 0) throw Error(fmt::format("has no pixels ({}x{})", width, height));
  if (height <= most_pixels / width) return;
  throw Error(fmt::format("has {}x{} pixels, more than the {} million that are read", width, height,
                          static_cast<double>(most_pixels) / (1 << 20)));
}

Image decode_png(std::span<const std::byte> bytes, std::size_t most_pixels) {
  check_chunks(bytes);
  return PngDecoder(bytes).decode(most_pixels);
}

}  // namespace cmanp::images

// JPEG by libjpeg-turbo. It reports failure by longjmp: no function below has an object to destroy between setjmp and
// the calls that may jump.
#include <fmt/format.h>

#include <array>
#include <cmanp/error.hpp>
#include <csetjmp>
#include <cstdio>

#include "images/decoders.hpp"
#include "images/exif.hpp"

#include <jpeglib.h>  // knows FILE and size_t by what stands above

#include <jerror.h>

namespace cmanp::images {
namespace {

constexpr int kMostScans = 200;  // of a progressive picture: more are a way to keep a reader busy

constexpr int kExif = JPEG_APP0 + 1;
constexpr unsigned kLongestMarker = 0xFFFF;

class JpegDecoder {
 public:
  explicit JpegDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    progress_.progress_monitor = on_progress;
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }

  Image decode(std::size_t most_pixels) {
    if (!read_header()) fail();
    check_dimensions(jpeg_.image_height, jpeg_.image_width, most_pixels);
    if (jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK) {
      throw Error("is a CMYK picture, made for print; convert it to RGB first");
    }
    image_ = make_image(jpeg_.image_height, jpeg_.image_width, jpeg_.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3);
    const int held = orientation();  // libjpeg forgets it with the last row
    if (!read_rows()) fail();
    return upright(std::move(image_), held);
  }

 private:
  static JpegDecoder* self(j_common_ptr jpeg) { return static_cast<JpegDecoder*>(jpeg->client_data); }

  [[noreturn]] static void on_error(j_common_ptr jpeg) {
    jpeg->err->format_message(jpeg, self(jpeg)->message_.data());
    std::longjmp(self(jpeg)->jump_, 1);
  }

  // libjpeg goes on with grey where data end or make no sense; here that is a broken picture.
  static void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;  // not a warning
    const int code = jpeg->err->msg_code;
    if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR) return;  // harmless
    on_error(jpeg);
  }

  static void on_progress(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
    std::snprintf(self(jpeg)->message_.data(), JMSG_LENGTH_MAX, "it has more than %d scans", kMostScans);
    std::longjmp(self(jpeg)->jump_, 1);
  }

  [[noreturn]] void fail() const { throw Error(fmt::format("is a damaged JPEG picture: {}", message_.data())); }

  bool read_header() {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_save_markers(&jpeg_, kExif, kLongestMarker);
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }

  int orientation() const {
    for (auto* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
      const int found = exif_orientation({marker->data, marker->data_length});
      if (found != 1) return found;
    }
    return 1;
  }

  bool read_rows() {
    if (setjmp(jump_) != 0) return false;
    jpeg_.out_color_space = image_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = &image_.pixels[jpeg_.output_scanline * image_.width * image_.channels];
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

  std::span<const std::byte> bytes_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
  Image image_;
};

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, std::size_t most_pixels) {
  return JpegDecoder(bytes).decode(most_pixels);
}

}  // namespace cmanp::images

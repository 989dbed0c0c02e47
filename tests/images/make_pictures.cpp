#include "images/make_pictures.hpp"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <jpeglib.h>

namespace cmanp::testing {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
            9);
  result.resize(size);
  return result;
}

}  // namespace

images::Image sample_image(std::size_t height, std::size_t width, std::size_t channels) {
  images::Image image = images::make_image(height, width, channels);
  for (std::size_t r = 0; r < height; ++r) {
    for (std::size_t q = 0; q < width; ++q) {
      for (std::size_t k = 0; k < channels; ++k) {
        image.pixels[(r * width + q) * channels + k] = static_cast<std::uint8_t>(r * 37 + q * 17 + k * 91 + r * q * 5);
      }
    }
  }
  return image;
}

std::string make_png(const PngParts& parts) {
  std::string header = big_endian(parts.width) + big_endian(parts.height);
  for (const std::uint8_t byte : {parts.depth, parts.colour, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}}) {
    header += static_cast<char>(byte);
  }
  std::string file = "\x89PNG\r\n\x1a\n" + chunk("IHDR", header);
  for (const auto& [type, content] : parts.chunks) file += chunk(type, content);
  return file + chunk("IDAT", deflated(parts.rows)) + chunk("IEND", "");
}

std::string make_png_with_long_text() {
  std::string png = make_png({1, 1, 8, 0, std::string("\0a", 2), {{"zTXt", "a"}}});
  png[png.find("zTXt") - 4] = '\x50';  // of its length, the first byte
  return png;
}

std::string make_png(const images::Image& image) {
  PngParts parts{static_cast<std::uint32_t>(image.width), static_cast<std::uint32_t>(image.height), 8,
                 static_cast<std::uint8_t>(image.channels == 3 ? 2 : 0), ""};
  const std::string samples = text_of(image);
  const std::size_t row = image.width * image.channels;
  for (std::size_t r = 0; r < image.height; ++r) parts.rows += '\0' + samples.substr(r * row, row);
  return make_png(parts);
}

std::string make_jpeg(std::uint32_t width, std::uint32_t height, int components, const std::string& samples,
                      bool progressive) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = components;
  jpeg.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t row_bytes = static_cast<std::size_t>(components) * width;
  while (jpeg.next_scanline < height) {
    std::string row = samples.substr(jpeg.next_scanline * row_bytes, row_bytes);
    JSAMPROW pointer = reinterpret_cast<JSAMPROW>(row.data());
    jpeg_write_scanlines(&jpeg, &pointer, 1);
  }
  jpeg_finish_compress(&jpeg);
  const std::string result(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return result;
}

std::string make_idx(const std::vector<std::uint32_t>& sizes, const std::string& bytes) {
  std::string file = big_endian(0x0800 + static_cast<std::uint32_t>(sizes.size()));
  for (const std::uint32_t size : sizes) file += big_endian(size);
  return file + bytes;
}

std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);  // 16: with gzip's header
  std::string result(deflateBound(&stream, bytes.size()) + 64, '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string text_of(const images::Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

void write_idx_set(const std::filesystem::path& folder, std::size_t count, std::size_t side, bool compress) {
  std::filesystem::create_directories(folder);
  const auto size = static_cast<std::uint32_t>(side);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream stream(folder / (name + (compress ? ".gz" : "")), std::ios::binary);
    stream << (compress ? gzipped(bytes) : bytes);
  };
  for (const std::string split : {"train", "t10k"}) {
    std::string pictures, labels;
    for (std::size_t k = 0; k < count; ++k) {
      images::Image image = sample_image(side, side, 1);
      image.pixels[0] = static_cast<std::uint8_t>(split == "train" ? k : 100 + k);
      pictures += text_of(image);
      labels += static_cast<char>(k % 12);
    }
    write(split + "-images-idx3-ubyte", make_idx({static_cast<std::uint32_t>(count), size, size}, pictures));
    write(split + "-labels-idx1-ubyte", make_idx({static_cast<std::uint32_t>(count)}, labels));
  }
}

}  // namespace cmanp::testing

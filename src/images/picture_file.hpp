// Pictures in files: PNG and JPEG in, PNG out.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "images/image.hpp"

namespace cmanp::images {

// Reads PNG (grey, colour, palette, 1 to 16 bits, with or without alpha) and JPEG (grey, colour), upright as its
// camera was held. Throws Error that
// begins with the file's name and says why: not a picture, damaged, cut short, too large, animated, CMYK.
Image read_picture(const std::filesystem::path& path, std::size_t most_pixels = kMostPixels);

// The same out of memory; `name` is for messages.
Image decode_picture(std::span<const std::byte> bytes, const std::string& name, std::size_t most_pixels = kMostPixels);

// The bytes of a PNG. Alpha is kept.
std::vector<std::byte> encode_png(const Image& image);

// Replaces the file in one step, or leaves it as it was and throws Error.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace cmanp::images

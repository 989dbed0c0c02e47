// The decoders behind read_picture. Throw Error with the reason alone: the caller knows the file's name.
#pragma once

#include <cstddef>
#include <span>

#include "images/image.hpp"

namespace cmanp::images {

Image decode_png(std::span<const std::byte> bytes, std::size_t most_pixels);
Image decode_jpeg(std::span<const std::byte> bytes, std::size_t most_pixels);

// Before anything is allocated; throws Error.
void check_dimensions(std::size_t height, std::size_t width, std::size_t most_pixels);

}  // namespace cmanp::images

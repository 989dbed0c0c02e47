// How a camera was held, from what it wrote into a picture's file.
#pragma once

#include <cstdint>
#include <span>

namespace cmanp::images {

// From the content of a JPEG's APP1 marker: 1 to 8 as Exif numbers orientations; 1, upright, where it says nothing or
// makes no sense.
int exif_orientation(std::span<const std::uint8_t> marker);

}  // namespace cmanp::images

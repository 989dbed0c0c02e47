// Which pixels of a picture are given: by a pattern, by a picture of black and white, by transparency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "images/image.hpp"

namespace cmanp::images {

using Mask = std::vector<std::uint8_t>;  // [height][width], 1 where a pixel is given

// A pattern in a word:
//   random:0.1   this share of the pixels, drawn by `seed`
//   top, bottom, left, right   this half
//   hole:0.5     all but a square in the middle with this share of the shorter side
//   rows:4       every fourth row, from the first on
// Throws Error on any other word, and where nothing would be given.
Mask make_pattern(const std::string& pattern, std::size_t height, std::size_t width, std::uint64_t seed = 0);

// Given is what is light; throws Error, with both sizes, where the mask is not `height` by `width`.
Mask mask_of_picture(const Image& mask, std::size_t height, std::size_t width, const std::string& name);

// Given is what is more opaque than not; all of it where there is no alpha.
Mask mask_of_alpha(const Image& image);

}  // namespace cmanp::images

// Pictures at another size.
#pragma once

#include "images/image.hpp"

namespace cmanp::images {

// Bicubic with the filter widened where the picture shrinks, so that no pixel is passed over: bit for bit what the
// Python Imaging Library's resize gives by default, which the published results were made with. Where there is alpha,
// missing pixels have no weight.
Image resize(const Image& image, std::size_t height, std::size_t width);

}  // namespace cmanp::images

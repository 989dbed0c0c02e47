// The order in which a picture's pixels are predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cmanp::completion {

// All pixels' numbers (row * width + column), coarse to fine: at any time, those so far are spread evenly over the
// picture, and pixels close in the order are far apart (the order of Bayer's dithering matrix).
std::vector<std::uint32_t> coarse_to_fine(std::size_t height, std::size_t width);

}  // namespace cmanp::completion

// Pixels as points, as the published image tasks have them: x = (row, column), each from -1 to 1 over the picture;
// y = every channel from -0.5 (dark) to 0.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cmanp::images {

// Of row `index` of `count`, or of a column; `count` is at least 2.
inline double pixel_coordinate(std::size_t index, std::size_t count) {
  return 2 * static_cast<double>(index) / static_cast<double>(count - 1) - 1;
}

inline double pixel_value(std::uint8_t pixel) { return pixel / 255.0 - 0.5; }

// The nearest pixel to a predicted value.
inline std::uint8_t pixel_of_value(double value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value + 0.5, 0.0, 1.0)));
}

// Brings `count` of the indices, drawn uniformly without repetition, to the front (Fisher-Yates). `below(n)` draws a
// whole number in [0, n).
template <typename Below>
void draw_to_front(std::vector<std::uint32_t>& indices, std::size_t count, Below&& below) {
  for (std::size_t i = 0; i < count; ++i) std::swap(indices[i], indices[i + below(indices.size() - i)]);
}

}  // namespace cmanp::images

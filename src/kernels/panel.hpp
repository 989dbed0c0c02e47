// The one layout that kernels share. A matrix that is multiplied from the right is cut into panels of 16 columns, each
// stored row by row: [columns / 16][rows][16], the last panel filled up with zeros. 16 floats are one AVX-512 vector,
// two of AVX2, four of SSE or NEON, so the layout is the same on every target.
//
// Rows of activations have a stride of a multiple of 16, and zeros behind their true width.
#pragma once

#include <cstddef>

namespace cmanp::kernels {

inline constexpr std::size_t kPanel = 16;

constexpr std::size_t panels(std::size_t columns) { return (columns + kPanel - 1) / kPanel; }
constexpr std::size_t padded(std::size_t columns) { return panels(columns) * kPanel; }

// A stride for rows of which some panel is read by itself, many rows one behind the other: an odd number of panels, so
// that they do not share sets of a cache.
constexpr std::size_t odd_panels(std::size_t columns) { return (panels(columns) | 1) * kPanel; }

}  // namespace cmanp::kernels

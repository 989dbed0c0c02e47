#include "completion/pixel_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cmanp::completion {

std::vector<std::uint32_t> coarse_to_fine(std::size_t height, std::size_t width) {
  const auto levels = static_cast<unsigned>(std::bit_width(std::max(height, width) - 1));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranked;  // rank, pixel
  ranked.reserve(height * width);
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      // What tells neighbours apart, the lowest bits, weighs most.
      std::uint64_t rank = 0;
      for (unsigned level = 0; level < levels; ++level) {
        rank = rank << 2 | ((row ^ column) >> level & 1) << 1 | (row >> level & 1);
      }
      ranked.emplace_back(rank, static_cast<std::uint32_t>(row * width + column));
    }
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::uint32_t> order;
  order.reserve(ranked.size());
  for (const auto& [rank, pixel] : ranked) order.push_back(pixel);
  return order;
}

}  // namespace cmanp::completion

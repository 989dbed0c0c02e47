#include "completion/tiles.hpp"

#include <algorithm>

namespace cmanp::completion {

std::vector<Tile> tiles_of(std::size_t height, std::size_t width, std::size_t side) {
  std::vector<Tile> tiles;
  for (std::size_t top = 0; top < height; top += side) {
    for (std::size_t left = 0; left < width; left += side) {
      tiles.push_back({std::min(top, height - side), std::min(left, width - side), top, left});
    }
  }
  return tiles;
}

}  // namespace cmanp::completion

#include "completion/tiles.hpp"

namespace cmanp::completion {

namespace {

struct Stretch {
  std::size_t begin = 0, own = 0;
};

std::vector<Stretch> stretches_of(std::size_t length, std::size_t side) {
  std::vector<Stretch> stretches{{0, 0}};
  while (stretches.back().begin + side < length) {
    const std::size_t last = stretches.back().begin;
    stretches.push_back({std::min(last + side - overlap_of(side), length - side), last + side});
  }
  return stretches;
}

}  // namespace

std::vector<Tile> tiles_of(std::size_t height, std::size_t width, std::size_t side) {
  std::vector<Tile> tiles;
  for (const Stretch& down : stretches_of(height, side)) {
    for (const Stretch& along : stretches_of(width, side)) {
      tiles.push_back({down.begin, along.begin, down.own, along.own});
    }
  }
  return tiles;
}

}  // namespace cmanp::completion

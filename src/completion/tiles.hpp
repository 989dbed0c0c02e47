// A large picture as squares of the size that a model knows. They overlap, so that what each says can go over into what
// the next says without a seam.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cmanp::completion {

struct Tile {
  std::size_t top = 0, left = 0;          // of the square
  std::size_t own_top = 0, own_left = 0;  // from here on its pixels are this tile's; before, an earlier tile's
};

// How far neighbours reach into each other: a quarter.
constexpr std::size_t overlap_of(std::size_t side) { return side / 4; }

// Row by row; the last ones of a row and of a column overlap further, to end where the picture ends. Every pixel is one
// tile's own. Height and width are `side` at least.
std::vector<Tile> tiles_of(std::size_t height, std::size_t width, std::size_t side);

// How much a tile has to say at its row or column `place`: less towards its edges.
constexpr std::size_t weight_at(std::size_t place, std::size_t side) {
  return std::min({place + 1, side - place, overlap_of(side) + 1});
}

}  // namespace cmanp::completion

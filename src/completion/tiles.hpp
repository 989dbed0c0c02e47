// A large picture as squares of the size that a model knows.
#pragma once

#include <cstddef>
#include <vector>

namespace cmanp::completion {

struct Tile {
  std::size_t top = 0, left = 0;          // of the square
  std::size_t own_top = 0, own_left = 0;  // from here on its pixels are this tile's; before, an earlier tile's
};

// Row by row; the last ones of a row and of a column overlap inward where `side` does not divide. Every pixel is one
// tile's own. Height and width are `side` at least.
std::vector<Tile> tiles_of(std::size_t height, std::size_t width, std::size_t side);

}  // namespace cmanp::completion

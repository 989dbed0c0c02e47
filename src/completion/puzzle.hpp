// What a completion starts from: which pixels are given, and what is known of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "images/image.hpp"
#include "images/patterns.hpp"

namespace cmanp::completion {

// At one size: the model's, or in tiles the picture's own.
struct Puzzle {
  images::Image seen;   // true where `given`
  images::Mask given;   // [height][width]
  images::Image truth;  // true where `known`
  images::Mask known;   // [height][width]: all but what is transparent in the picture itself

  std::size_t height() const { return seen.height; }
  std::size_t width() const { return seen.width; }
  std::size_t given_pixels() const;
  bool anything_to_compare() const;  // whether a missing pixel is known
};

// What is hidden, besides transparent pixels, which are missing always: by a pattern, or where a mask of the picture's
// size is dark.
struct Hiding {
  std::string pattern = {};  // as images::make_pattern knows it, at the puzzle's size; empty: none
  std::uint64_t seed = 0;
  std::optional<images::Image> mask = {};
  std::string mask_name = {};
};

// `side`: the puzzle's height and width, which the picture is brought to; 0: its own. A hidden pixel has no part in a
// given one of another size. Throws Error, that begins with `name`, where nothing is given or nothing missing.
Puzzle make_puzzle(const images::Image& picture, const std::string& name, const Hiding& hiding, std::size_t side);

}  // namespace cmanp::completion

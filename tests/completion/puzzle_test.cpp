// Which pixels are given and known; the order of pixels; tiles.
#include "completion/puzzle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "completion/pixel_order.hpp"
#include "completion/tiles.hpp"
#include "images/make_pictures.hpp"
#include "support/error_message.hpp"

namespace cmanp::completion {
namespace {

using images::Image;
using images::Mask;
using testing::error_message;
using testing::sample_image;

TEST(PixelOrder, HasEveryPixelOnceAndIsSpreadFromItsStart) {
  for (const auto& [height, width] : {std::pair{1U, 1U}, {2U, 7U}, {9U, 5U}, {32U, 32U}}) {
    std::vector<std::uint32_t> order = coarse_to_fine(height, width);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> all(height * width);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(order, all);
  }
  // The first 4^k of 32 x 32 are a grid; before the last half, no two side by side.
  const std::vector<std::uint32_t> order = coarse_to_fine(32, 32);
  for (const std::uint32_t count : {4U, 16U, 64U, 256U}) {
    const std::uint32_t step = count == 4 ? 16 : count == 16 ? 8 : count == 64 ? 4 : 2;
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(order[i] / 32 % step, 0U) << i;
      EXPECT_EQ(order[i] % 32 % step, 0U) << i;
    }
  }
  for (std::uint32_t i = 0; i < 512; ++i) EXPECT_EQ((order[i] / 32 + order[i] % 32) % 2, 0U);
}

TEST(Tiles, OwnEveryPixelOnceAndOverlapInward) {
  for (const auto& [height, width] : {std::pair{8U, 8U}, {16U, 24U}, {19U, 9U}}) {
    std::vector<int> owners(height * width);
    for (const Tile& tile : tiles_of(height, width, 8)) {
      ASSERT_LE(tile.top + 8, height);
      ASSERT_LE(tile.left + 8, width);
      for (std::size_t row = tile.own_top; row < tile.top + 8; ++row) {
        for (std::size_t column = tile.own_left; column < tile.left + 8; ++column) ++owners[row * width + column];
      }
    }
    EXPECT_EQ(owners, std::vector<int>(height * width, 1)) << height << "x" << width;
  }
}

// Along a row of pixels, what a tile has to say of the blend comes and goes little by little: that is what a seam is
// not.
TEST(Tiles, GoOverIntoEachOtherLittleByLittle) {
  constexpr std::size_t kSide = 28, kWidth = 100;
  const std::vector<Tile> tiles = tiles_of(kSide, kWidth, kSide);
  EXPECT_EQ(tiles.size(), 5U);
  std::vector<double> shares(tiles.size());
  for (std::size_t column = 0; column < kWidth; ++column) {
    std::vector<double> now(tiles.size());
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::size_t left = tiles[t].left;
      if (column >= left && column < left + kSide) now[t] = static_cast<double>(weight_at(column - left, kSide));
    }
    const double sum = std::accumulate(now.begin(), now.end(), 0.0);
    ASSERT_GT(sum, 0) << column;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      now[t] /= sum;
      if (column > 0) {
        EXPECT_LE(std::abs(now[t] - shares[t]), 0.15) << column << ", tile " << t;
      }
    }
    shares = now;
  }
}

TEST(Puzzle, HidesByPatternAndTransparency) {
  Image picture = sample_image(6, 6, 3);
  picture.alpha.assign(36, 255);
  picture.alpha[0] = picture.alpha[35] = 0;
  const Puzzle open = make_puzzle(picture, "p", {}, 0);
  EXPECT_EQ(open.given_pixels(), 34U);
  EXPECT_EQ(open.given, open.known);
  EXPECT_FALSE(open.anything_to_compare());
  const Puzzle half = make_puzzle(picture, "p", {.pattern = "top"}, 0);
  EXPECT_EQ(half.given_pixels(), 17U);
  EXPECT_EQ(half.known, open.known);
  EXPECT_TRUE(half.anything_to_compare());
  EXPECT_EQ(half.seen.pixels, picture.pixels);
  const Puzzle a = make_puzzle(picture, "p", {.pattern = "random:0.5", .seed = 1}, 0);
  EXPECT_EQ(a.given, make_puzzle(picture, "p", {.pattern = "random:0.5", .seed = 1}, 0).given);
  EXPECT_NE(a.given, make_puzzle(picture, "p", {.pattern = "random:0.5", .seed = 2}, 0).given);
}

// Black where given, white where hidden: at half the size, given pixels are black still.
TEST(Puzzle, WhatAMaskHidesHasNoPartInWhatIsGiven) {
  Image picture = images::make_image(16, 16, 1), mask = picture;
  for (std::size_t i = 0; i < 256; ++i) {
    mask.pixels[i] = i % 16 < 7 ? 255 : 0;
    picture.pixels[i] = static_cast<std::uint8_t>(255 - mask.pixels[i]);
  }
  const Puzzle puzzle = make_puzzle(picture, "p", {.mask = mask, .mask_name = "m"}, 8);
  EXPECT_EQ(puzzle.height(), 8U);
  EXPECT_EQ(puzzle.known, Mask(64, 1));
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(puzzle.given[i] != 0, i % 8 < 3 || (i % 8 == 3 && puzzle.given[3] != 0)) << i;
    if (puzzle.given[i] != 0) {
      EXPECT_EQ(puzzle.seen.pixels[i], 0) << i;
    }
    if (i % 8 > 5) {
      EXPECT_EQ(puzzle.truth.pixels[i], 255) << i;
    }
  }
}

TEST(Puzzle, WithNothingGivenOrNothingMissingIsRefused) {
  const Image picture = sample_image(8, 8, 1);
  const auto expect = [](const Image& image, const Hiding& hiding, std::size_t side, const std::string& part) {
    const std::string message = error_message([&] { make_puzzle(image, "p.png", hiding, side); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(picture, {}, 0, "p.png: has no transparent pixels");
  expect(picture, {.pattern = "random:1"}, 0, "pattern 'random:1' gives every pixel of 8x8");
  expect(picture, {.pattern = "random:0.001"}, 0, "gives no pixel");
  Image mask = images::make_image(8, 8, 1);
  expect(picture, {.mask = mask, .mask_name = "m.png"}, 0, "m.png: gives no pixel");
  mask.pixels.assign(64, 255);
  expect(picture, {.mask = mask, .mask_name = "m.png"}, 0, "m.png: gives every pixel");
  expect(picture, {.mask = images::make_image(8, 9, 1), .mask_name = "m.png"}, 0, "m.png: a mask of 9x8 pixels");
  mask.pixels.assign(64, 0);
  mask.pixels[27] = 255;
  expect(picture, {.mask = mask, .mask_name = "m.png"}, 2, "p.png: no pixel of 2x2 is given; the mask has fine points");
  Image clear = picture;
  clear.alpha.assign(64, 0);
  expect(clear, {}, 0, "p.png: all is transparent");
  clear.alpha[63] = 255;
  expect(clear, {.pattern = "top"}, 0, "p.png: no pixel of 8x8 is given");
}

}  // namespace
}  // namespace cmanp::completion

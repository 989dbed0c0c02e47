// Which pixels are given, by every pattern; classes in a word; pixels as points.
#include "images/patterns.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "images/class_ranges.hpp"
#include "images/pixel_points.hpp"
#include "support/error_message.hpp"

namespace cmanp::images {
namespace {

using testing::error_message;

std::string drawn(const Mask& mask, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (i > 0 && i % width == 0) text += '/';
    text += mask[i] != 0 ? '#' : '.';
  }
  return text;
}

TEST(Patterns, HalvesHolesAndRows) {
  EXPECT_EQ(drawn(make_pattern("top", 4, 3), 3), "###/###/.../...");
  EXPECT_EQ(drawn(make_pattern("bottom", 4, 3), 3), ".../.../###/###");
  EXPECT_EQ(drawn(make_pattern("left", 2, 4), 4), "##../##..");
  EXPECT_EQ(drawn(make_pattern("right", 2, 4), 4), "..##/..##");
  EXPECT_EQ(drawn(make_pattern("hole:0.5", 4, 4), 4), "####/#..#/#..#/####");
  EXPECT_EQ(drawn(make_pattern("rows:3", 5, 2), 2), "##/../../##/..");
  EXPECT_EQ(drawn(make_pattern("rows:1", 2, 2), 2), "##/##");
}

TEST(Patterns, RandomIsAShareAndOfItsSeed) {
  const Mask mask = make_pattern("random:0.1", 28, 28, 5);
  EXPECT_EQ(std::accumulate(mask.begin(), mask.end(), 0), 78);
  EXPECT_EQ(mask, make_pattern("random:0.1", 28, 28, 5));
  EXPECT_NE(mask, make_pattern("random:0.1", 28, 28, 6));
  EXPECT_EQ(make_pattern("random:1", 3, 3, 0), Mask(9, 1));
}

TEST(Patterns, NonsenseIsNamed) {
  for (const std::string pattern : {"", "middle", "random", "random:", "random:x", "random:1.5", "random:-1",
                                    "random:nan", "rows:0", "rows:2x", "hole:2"}) {
    EXPECT_NE(error_message([&] { make_pattern(pattern, 8, 8); }).find("pattern '"), std::string::npos) << pattern;
  }
  EXPECT_NE(error_message([] { make_pattern("random:0.001", 8, 8); }).find("gives no pixel"), std::string::npos);
  EXPECT_NE(error_message([] { make_pattern("hole:1", 8, 8); }).find("gives no pixel"), std::string::npos);
}

TEST(Masks, OfAnotherSizeAreRefused) {
  Image mask = make_image(2, 3, 1);
  mask.pixels = {0, 255, 128, 127, 1, 254};
  EXPECT_EQ(drawn(mask_of_picture(mask, 2, 3, "m.png"), 3), ".##/..#");
  EXPECT_EQ(error_message([&] { mask_of_picture(mask, 4, 5, "m.png"); }),
            "m.png: a mask of 3x2 pixels does not fit a picture of 5x4");
  EXPECT_EQ(mask_of_alpha(mask), Mask(6, 1));
  mask.alpha = {0, 255, 0, 128, 127, 1};
  EXPECT_EQ(drawn(mask_of_alpha(mask), 3), ".#./#..");
}

TEST(ClassRanges, AreUnderstoodOrRefused) {
  EXPECT_TRUE(ClassRanges("all").contains(46));
  EXPECT_TRUE(ClassRanges("10-46").contains(46));
  EXPECT_FALSE(ClassRanges("10-46").contains(9));
  EXPECT_TRUE(ClassRanges("3,5-7").contains(3));
  EXPECT_FALSE(ClassRanges("3,5-7").contains(4));
  for (const std::string text : {"", "a", "9-3", "1-", "-1", "1,,2", "1-2-3", "0-99999", "1 "}) {
    EXPECT_NE(error_message([&] { const ClassRanges ranges(text); }).find("not understood"), std::string::npos) << text;
  }
}

TEST(PixelPoints, SpanThePicture) {
  EXPECT_EQ(pixel_coordinate(0, 28), -1);
  EXPECT_EQ(pixel_coordinate(27, 28), 1);
  EXPECT_NEAR(pixel_coordinate(9, 28), 2.0 * 9 / 27 - 1, 1e-15);
  EXPECT_EQ(pixel_value(0), -0.5);
  EXPECT_EQ(pixel_value(255), 0.5);
  for (int value = 0; value < 256; ++value) {
    EXPECT_EQ(pixel_of_value(pixel_value(static_cast<std::uint8_t>(value))), value);
  }
  EXPECT_EQ(pixel_of_value(-3), 0);
  EXPECT_EQ(pixel_of_value(3), 255);
}

}  // namespace
}  // namespace cmanp::images

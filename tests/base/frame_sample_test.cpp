// Points to find a frame by: all of a few, some of a great many, and always the ends of x.
#include "base/frame_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace cmanp::base {
namespace {

TEST(FrameSample, KeepsAllOfAFewAndTheEndsOfAGreatMany) {
  FrameSample few(1, 1), many(1, 1);
  EXPECT_TRUE(few.empty());
  for (const double value : {3.0, 1.0, 2.0}) few.add(std::vector{value}, std::vector{-value});
  EXPECT_EQ(few.y(), (std::vector{-3.0, -1.0, -2.0}));
  EXPECT_EQ(few.x(), (std::vector{3.0, 1.0, 2.0, 1.0, 3.0}));
  const std::size_t count = 3 * FrameSample::kMost;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(i * 7919 % count);  // every number once
    many.add(std::vector{value}, std::vector{value});
  }
  EXPECT_EQ(many.points(), count);
  EXPECT_LE(many.y().size(), FrameSample::kMost);
  EXPECT_GT(many.y().size(), FrameSample::kMost / 2);
  const std::vector<double> x = many.x();
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), 0);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), static_cast<double>(count - 1));
}

}  // namespace
}  // namespace cmanp::base

// Levels that a signal held: told from outliers by what follows each other.
#include "base/held_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/frame.hpp"

namespace cmanp::base {
namespace {

struct Readings {
  std::vector<double> x, y;
};

// About 20, and at these places about 80.
Readings readings_with(const std::vector<std::size_t>& away) {
  Readings made;
  for (std::size_t i = 0; i < 200; ++i) {
    made.x.push_back(static_cast<double>(i));
    made.y.push_back(20 + 0.1 * std::sin(7.0 * static_cast<double>(i)));
  }
  for (const std::size_t i : away) made.y[i] += 60;
  return made;
}

double away(const Readings& of) { return widened_for_levels(y_frame(of.y), of.x, of.y)(80); }

TEST(HeldLevel, IsBroughtNear) { EXPECT_NEAR(away(readings_with({100, 101, 102, 103})), kNear, 0.1); }

TEST(HeldLevel, OutliersAreNone) {
  EXPECT_GT(away(readings_with({100, 101, 102})), 100);
  EXPECT_GT(away(readings_with({10, 20, 30, 40, 50, 60})), 100);
}

TEST(HeldLevel, OneSideThenTheOtherIsNone) {
  Readings swings = readings_with({100, 102});
  for (const std::size_t i : {101U, 103U}) swings.y[i] -= 60;
  EXPECT_EQ(widened_for_levels(y_frame(swings.y), swings.x, swings.y), y_frame(swings.y));
}

TEST(HeldLevel, GoesByPlacesNotByTheOrderTheyCameIn) {
  Readings in_order = readings_with({100, 101, 102, 103, 104}), mixed;
  for (std::size_t i = 0; i < 200; ++i) {
    mixed.x.push_back(in_order.x[i * 37 % 200]);
    mixed.y.push_back(in_order.y[i * 37 % 200]);
  }
  EXPECT_NEAR(away(mixed), away(in_order), 1e-12);
}

TEST(HeldLevel, WhatTheFrameHoldsLeavesItAsItIs) {
  const Readings calm = readings_with({});
  EXPECT_EQ(widened_for_levels(y_frame(calm.y), calm.x, calm.y), y_frame(calm.y));
}

TEST(HeldLevel, TheFirstThatCompletesARun) {
  EXPECT_EQ(first_held(std::vector{9.0, 9.0, 9.0}), 3U);
  EXPECT_EQ(first_held(std::vector{0.0, 9.0, 10.0, 11.0, 12.0, 13.0}), 4U);
  EXPECT_EQ(first_held(std::vector{-9.0, -9.0, -9.0, 9.0, -9.0}), 5U);
}

}  // namespace
}  // namespace cmanp::base

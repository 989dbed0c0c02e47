// How far out of the ordinary: by place, by surprise, and told once.
#include "base/unusual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cmanp::base {
namespace {

constexpr double kAlarm = 5;

// Of values -1 and 1 in turns, each expected to within a deviation.
Unusual calm(std::size_t readings) {
  Unusual unusual;
  for (std::size_t i = 0; i < readings; ++i) unusual.add(i % 2 == 0 ? -1 : 1, std::sin(0.7 * static_cast<double>(i)));
  return unusual;
}

TEST(Unusual, AValueIsAsFarOffAsInDeviationsOfAllBefore) {
  EXPECT_NEAR(calm(1000).of(8, 0), 8, 0.01);
  EXPECT_NEAR(calm(1000).of(-8, 0), 8, 0.01);
  EXPECT_NEAR(calm(1000).of(1.5, 0), 1.5, 0.01);
}

TEST(Unusual, OfTheFirstFewNothingIsSaid) {
  EXPECT_EQ(calm(31).of(1000, 1000), 0);
  EXPECT_GT(calm(32).of(1000, 1000), kAlarm);
}

// Before a frame is found a model in units of its own is surprised by all that is large.
TEST(Unusual, WhatSurprisedTheFirstFewIsForgotten) {
  Unusual large = calm(0), small = calm(0);
  for (std::size_t i = 0; i < 500; ++i) {
    const double surprise = std::sin(0.7 * static_cast<double>(i));
    large.add(std::sin(static_cast<double>(i)), i < 32 ? 1e29 : surprise);
    small.add(std::sin(static_cast<double>(i)), surprise);
  }
  EXPECT_GT(large.of(0, 30), kAlarm);
  EXPECT_EQ(large.of(0, 30), small.of(0, 30));
}

TEST(Unusual, AnEventIsToldOnceAndMoreOfItAgain) {
  Unusual unusual = calm(1000);
  unusual.add(8, 0);
  EXPECT_EQ(unusual.of(7, 0), 0);
  EXPECT_GT(unusual.of(12, 0), kAlarm);
  for (std::size_t i = 0; i < 199; ++i) unusual.add(1, 0);
  EXPECT_EQ(unusual.of(7, 0), 0);
  unusual.add(-1, 0);
  EXPECT_GT(unusual.of(7, 0), kAlarm);
}

TEST(Unusual, TheMoreEventsThereWereTheLessIsOneMore) {
  Unusual unusual = calm(1000);
  const auto another = [&](double value) {
    const double told = unusual.of(value, 0);
    unusual.add(value, 0);
    for (std::size_t i = 0; i < 300; ++i) unusual.add(i % 2 == 0 ? -1 : 1, 0);
    return told;
  };
  EXPECT_GT(another(7), kAlarm);
  for (int i = 0; i < 7; ++i) another(7);
  EXPECT_LT(another(7), kAlarm);
  EXPECT_GT(another(14), kAlarm);
  for (std::size_t i = 0; i < 30000; ++i) unusual.add(i % 2 == 0 ? -1 : 1, 0);
  EXPECT_GT(another(7), kAlarm);
}

// An idle disk, and the same burst where there never was one.
TEST(Unusual, SurprisesThatComeAgainAndAgainAreNotRare) {
  Unusual bursts;
  for (std::size_t i = 0; i < 3000; ++i) bursts.add(i % 2 == 0 ? -1 : 1, i % 50 == 0 ? 30 : 0.1);
  for (std::size_t i = 0; i < 200; ++i) bursts.add(0, 0.1);  // until what was told is forgotten
  EXPECT_LT(bursts.of(0, 30), kAlarm);
  EXPECT_GT(calm(3200).of(0, 30), kAlarm);
  EXPECT_LT(calm(3200).of(0, 3), kAlarm);
}

TEST(Unusual, WhatNeverMovedIsUnusualWhenItDoes) {
  Unusual stuck;
  for (std::size_t i = 0; i < 500; ++i) stuck.add(0.1, 0);
  EXPECT_EQ(stuck.of(0.1, 0), 0);
  EXPECT_EQ(stuck.of(0.1000001, 0), 1000);
}

TEST(Unusual, TheLongRunIsTheLatestFewThousand) {
  Unusual moved = calm(20000);
  EXPECT_GT(moved.of(100, 0), 50);
  for (std::size_t i = 0; i < 100000; ++i) moved.add(100 + (i % 2 == 0 ? -1 : 1), 0);
  EXPECT_NEAR(moved.of(108, 0), 8, 0.2);
}

TEST(Unusual, NoNumberIsTooLarge) {
  Unusual unusual = calm(100);
  for (const double value : {1e308, -1e308, 1e-320, 0.0}) unusual.add(value, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(unusual.place.mean) && std::isfinite(unusual.place.deviation));
  EXPECT_TRUE(std::isfinite(unusual.surprise.level) && std::isfinite(unusual.surprise.excess));
  EXPECT_TRUE(std::isfinite(unusual.told) && std::isfinite(unusual.of(-1e308, -1e308)));
}

}  // namespace
}  // namespace cmanp::base

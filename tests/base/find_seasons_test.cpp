#include "base/find_seasons.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace cmanp::base {
namespace {

struct Signal {
  std::vector<double> x, y;
};

template <class Value>
Signal regular(std::size_t count, const Value& value) {
  Signal signal;
  for (std::size_t i = 0; i < count; ++i) {
    signal.x.push_back(static_cast<double>(i));
    signal.y.push_back(value(static_cast<double>(i)));
  }
  return signal;
}

double day(double hour) {
  const double angle = 2 * std::numbers::pi * hour / 24;
  return 3 * std::sin(angle + 1) + std::cos(2 * angle) + 0.5 * std::sin(5 * angle);
}

double value_at(const std::vector<Season>& seasons, double x) {
  double sum = 0;
  for (const Season& season : seasons) sum += season.at(x);
  return sum;
}

class FindSeasons : public testing::Test {
 protected:
  double normal() { return normal_(random_); }

  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

TEST_F(FindSeasons, HoursOfADayUponADrift) {
  double drift = 0;
  const Signal signal = regular(400, [&](double hour) {
    drift += 0.1 * normal();
    return 1e5 + drift + day(hour) + 0.3 * normal();
  });
  const auto seasons = find_seasons(signal.x, signal.y);
  ASSERT_EQ(seasons.size(), 1u);
  EXPECT_DOUBLE_EQ(seasons[0].period, 24);  // of whole steps
  EXPECT_GE(seasons[0].widening, 1);
  for (double hour = 400; hour < 448; ++hour) EXPECT_NEAR(seasons[0].at(hour), day(hour), 0.5);
}

TEST_F(FindSeasons, OneUponAnother) {
  const auto week = [](double hour) { return 2 * std::sin(2 * std::numbers::pi * hour / 168); };
  const Signal signal = regular(1000, [&](double hour) { return day(hour) + week(hour) + 0.2 * normal(); });
  const auto seasons = find_seasons(signal.x, signal.y);
  ASSERT_GE(seasons.size(), 1u);
  for (double hour = 1000; hour < 1100; ++hour) EXPECT_NEAR(value_at(seasons, hour), day(hour) + week(hour), 0.5);
}

TEST_F(FindSeasons, AtIrregularPlacesInAnyOrder) {
  std::uniform_real_distribution<double> place(0, 50);
  Signal signal;
  for (int i = 0; i < 300; ++i) {
    signal.x.push_back(place(random_));
    signal.y.push_back(std::sin(signal.x.back() * 2) + 0.2 * normal());
  }
  const auto seasons = find_seasons(signal.x, signal.y);
  ASSERT_EQ(seasons.size(), 1u);
  EXPECT_NEAR(seasons[0].period, std::numbers::pi, 0.01);
  EXPECT_NEAR(seasons[0].at(52), std::sin(104), 0.2);
}

TEST_F(FindSeasons, ShiftAndScaleChangeNothingElse) {
  const Signal signal = regular(300, [&](double hour) { return day(hour) + normal(); });
  Signal moved = signal;
  for (double& x : moved.x) x = 1.7e9 + 3600 * x;
  for (double& y : moved.y) y = -40 + 1e-3 * y;
  const auto one = find_seasons(signal.x, signal.y), other = find_seasons(moved.x, moved.y);
  ASSERT_EQ(one.size(), other.size());
  for (double hour = 0; hour < 400; ++hour) {
    EXPECT_NEAR(value_at(other, 1.7e9 + 3600 * hour), 1e-3 * value_at(one, hour), 1e-5);
  }
}

TEST_F(FindSeasons, HardlyAnyInChance) {
  std::size_t found = 0;
  for (int trial = 0; trial < 100; ++trial) {
    double walk = 0;
    const Signal signal = regular(trial % 2 ? 64 : 300, [&](double) {
      walk = trial < 50 ? walk + normal() : normal();
      return walk;
    });
    found += find_seasons(signal.x, signal.y).size();
  }
  EXPECT_LE(found, 3u);
}

TEST_F(FindSeasons, ThousandsAreNoMoreWork) {
  const Signal signal = regular(100000, [&](double i) { return day(i / 100) + normal(); });
  const auto seasons = find_seasons(signal.x, signal.y);
  ASSERT_EQ(seasons.size(), 1u);
  EXPECT_NEAR(seasons[0].period, 2400, 1);
}

TEST_F(FindSeasons, NoneOfWhatHasNoneOrIsNotFinite) {
  EXPECT_TRUE(find_seasons({}, {}).empty());
  const auto none = [](const Signal& signal) { return find_seasons(signal.x, signal.y).empty(); };
  EXPECT_TRUE(none(regular(10, day)));
  EXPECT_TRUE(none(regular(200, [](double) { return 5.0; })));
  EXPECT_TRUE(none(regular(200, [](double) { return 0.0; })));
  EXPECT_TRUE(none(regular(60, [](double hour) { return std::sin(hour * std::numbers::pi / 12); })));  // not three days
  Signal one_place = regular(200, day);
  one_place.x.assign(200, 3.0);
  EXPECT_TRUE(none(one_place));
  Signal huge = regular(200, day);
  for (double& y : huge.y) y *= 1e307;
  for (double& x : huge.x) x *= 1e305;
  for (const Season& season : find_seasons(huge.x, huge.y)) EXPECT_TRUE(std::isfinite(season.at(1e307)));
  Signal broken = regular(300, day);
  broken.y[7] = std::numeric_limits<double>::quiet_NaN();
  broken.x[9] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(find_seasons(broken.x, broken.y).empty());
}

}  // namespace
}  // namespace cmanp::base

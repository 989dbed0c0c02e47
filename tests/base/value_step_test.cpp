#include "base/value_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cmanp::base {
namespace {

TEST(ValueStep, OfReadingsWithOneDigit) {
  std::vector<double> readings;
  for (int i = 0; i < 300; ++i) readings.push_back(std::round(10 * (20 + std::sin(i / 30.0))) / 10);
  EXPECT_NEAR(value_step(readings), 0.1, 1e-9);
}

TEST(ValueStep, NoneOfWhatIsAllTheSameOrHardlyEver) {
  std::vector<double> varied;
  for (int i = 0; i < 300; ++i) varied.push_back(std::sin(i));
  EXPECT_EQ(value_step(varied), 0);
  EXPECT_EQ(value_step(std::vector<double>(50, 3.0)), 0);
  EXPECT_EQ(value_step({}), 0);
}

TEST(ValueStep, ValuesThatCameOnceDoNotCount) {
  std::vector<double> two(100, 0.134);
  two.resize(190, 0.066);
  two.push_back(0.0661);
  EXPECT_NEAR(value_step(two), 0.068, 1e-12);
}

}  // namespace
}  // namespace cmanp::base

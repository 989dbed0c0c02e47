#include "base/finite.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cmanp::base {
namespace {

using Limits = std::numeric_limits<double>;

TEST(Finite, TheFirstThatIsNot) {
  EXPECT_EQ(first_not_finite(std::vector<double>{}), 0U);
  EXPECT_EQ(first_not_finite(std::vector<double>{0, -1e308, Limits::denorm_min()}), 3U);
  EXPECT_EQ(first_not_finite(std::vector<float>{0, NAN, INFINITY}), 1U);
  EXPECT_TRUE(all_finite(std::vector<float>{1, 2}));
  EXPECT_FALSE(all_finite(std::vector<double>{1, -Limits::infinity()}));
}

TEST(Finite, PositiveNumbersHaveAFiniteInverse) {
  EXPECT_TRUE(positive(1e-300));
  for (const double bad : {0.0, -1.0, Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_FALSE(positive(bad)) << bad;
  }
}

}  // namespace
}  // namespace cmanp::base

// Every point is predicted once, and never from itself.
#include "measures/held_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/error.hpp>

namespace cmanp::measures {
namespace {

TEST(HeldOut, EveryPointOnceAndNeverFromItself) {
  Points points;
  for (int i = 0; i < 23; ++i) {
    points.x.insert(points.x.end(), {static_cast<double>(i), 0.5});
    points.y.push_back(i);
  }
  std::vector<std::size_t> sizes;
  const HeldOut result = hold_out(points, 2, 1, 5, 1,
                                  [&](const Points& seen, std::span<const double> x, std::span<double> mean, auto std) {
                                    sizes.push_back(seen.y.size());
                                    for (std::size_t i = 0; i < mean.size(); ++i) {
                                      EXPECT_EQ(std::count(seen.y.begin(), seen.y.end(), x[2 * i]), 0);
                                      mean[i] = -x[2 * i];
                                      std[i] = 1;
                                    }
                                  });
  ASSERT_EQ(result.y.size(), 23U);
  std::vector<double> sorted = result.y;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, points.y);
  for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(result.mean[i], -result.y[i]);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{18, 18, 18, 19, 19}));
}

TEST(HeldOut, TooFewPointsAreRefused) {
  const auto never = [](const Points&, std::span<const double>, std::span<double>, std::span<double>) { FAIL(); };
  EXPECT_THROW(hold_out({{1, 2}, {1, 2}}, 1, 1, 5, 0, never), Error);
  EXPECT_THROW(hold_out({}, 1, 1, 2, 0, never), Error);
}

}  // namespace
}  // namespace cmanp::measures

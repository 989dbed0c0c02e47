#include "runs/schedule.hpp"

#include <gtest/gtest.h>

namespace cmanp::runs {
namespace {

TEST(Schedule, IsTheReferencesCosineAfterItsWarmup) {
  const Schedule plain{.rate = 5e-4, .steps = 100};
  EXPECT_DOUBLE_EQ(plain.at(0), 5e-4);
  EXPECT_NEAR(plain.at(50), 2.5e-4, 1e-12);
  EXPECT_NEAR(plain.at(25), 2.5e-4 * (1 + std::sqrt(0.5)), 1e-12);
  const Schedule warm{.rate = 1, .warmup = 10, .steps = 110};
  EXPECT_DOUBLE_EQ(warm.at(0), 0.1);
  EXPECT_DOUBLE_EQ(warm.at(9), 1);
  EXPECT_DOUBLE_EQ(warm.at(10), 1);
  EXPECT_NEAR(warm.at(60), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ((Schedule{.shape = "constant", .rate = 1, .steps = 10}).at(9), 1);
}

}  // namespace
}  // namespace cmanp::runs

// Frames: robust, equivariant, and defined for whatever was observed.
#include "base/frame.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/finite.hpp"
#include "base/random.hpp"

namespace cmanp::base {
namespace {

std::vector<double> normals(std::size_t count, double mean, double deviation) {
  Random random(3);
  std::vector<double> values(count);
  for (double& value : values) value = mean + deviation * random.normal();
  return values;
}

TEST(Frame, TheObservedRangeIsAsWideAsItsPlacesAskFor) {
  EXPECT_EQ(frame_width(0), 4);
  EXPECT_EQ(frame_width(100), 4);
  EXPECT_DOUBLE_EQ(frame_width(400), 8);
  EXPECT_EQ(frame_width(1600), 16);
  EXPECT_EQ(frame_width(1000000), 16);
  std::vector<double> x;
  for (int i = 400; i > 0; --i) x.push_back(10 * i);  // in any order
  const Scale scale = x_frame(x);
  EXPECT_NEAR(scale(10), -4, 1e-12);
  EXPECT_NEAR(scale(4000), 4, 1e-12);
  EXPECT_NEAR(scale.back(scale(1230)), 1230, 1e-9);
  // Places that come again are one.
  std::vector<double> again;
  for (int i = 0; i < 400; ++i) again.push_back(i % 12);
  EXPECT_NEAR(x_frame(again)(11), 2, 1e-12);
}

TEST(Frame, FewerThanTwoPlacesSayNoRange) {
  EXPECT_EQ(x_frame({}), Scale{});
  EXPECT_EQ(x_frame(std::vector<double>{7}), (Scale{7, 1}));
  EXPECT_EQ(x_frame(std::vector<double>{7, 7, 7}), (Scale{7, 1}));
}

TEST(Frame, ANormalsFrameIsItsMeanAndDeviation) {
  const Scale scale = y_frame(normals(20000, 24.6, 0.3));
  EXPECT_NEAR(scale.shift, 24.6, 0.02);
  EXPECT_NEAR(scale.scale, 0.3, 0.01);
}

TEST(Frame, OutliersMoveItLittle) {
  std::vector<double> y = normals(200, 0, 1);
  const Scale before = y_frame(y);
  for (int i = 0; i < 8; ++i) y[i] = 1e9;
  const Scale after = y_frame(y);
  EXPECT_NEAR(after.shift, before.shift, 0.15);
  EXPECT_NEAR(after.scale, before.scale, 0.15);
}

TEST(Frame, FollowsTheUnitsOfTheData) {
  const std::vector<double> y = normals(57, 1, 2);
  std::vector<double> other;
  for (const double value : y) other.push_back(1.8 * value + 32);
  const Scale of_y = y_frame(y), of_other = y_frame(other);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(of_y(y[i]), of_other(other[i]), 1e-12);
}

TEST(Frame, HasASpreadWhereMostAreEqual) {
  std::vector<double> rain(100, 0.0);
  rain[3] = 12;
  EXPECT_EQ(y_frame(rain).shift, 0);
  EXPECT_NEAR(y_frame(rain).scale, 0.12 / std::sqrt(2 / M_PI), 1e-12);
  for (int i = 0; i < 20; ++i) rain[4 * i] = 10;  // the quartiles are still equal
  EXPECT_NEAR(y_frame(rain).scale, 0.25 * 10 / 3.2897072539, 1e-9);
}

TEST(Frame, IsDefinedForConstantsOneAndNone) {
  EXPECT_EQ(y_frame({}), Scale{});
  EXPECT_EQ(y_frame(std::vector<double>{20}), (Scale{20, 5}));
  EXPECT_EQ(y_frame(std::vector<double>{-20, -20, -20}), (Scale{-20, 5}));
  EXPECT_EQ(y_frame(std::vector<double>{0, 0}), (Scale{0, 1}));
}

TEST(Frame, EveryScaleCanBeDividedBy) {
  using Double = std::numeric_limits<double>;
  const std::vector<std::vector<double>> hostile{
      {Double::max(), -Double::max()}, {Double::max(), Double::max()},
      {Double::denorm_min(), 0},       {1, 1 + Double::epsilon()},
      {0, 0, Double::denorm_min()},    {Double::quiet_NaN(), 1, Double::infinity(), 2},
      {-Double::infinity()},           {Double::max(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  for (const auto& values : hostile) {
    const Frame frame = frame_of(values, values);
    for (const Scale& scale : {frame.x, frame.y}) {
      EXPECT_TRUE(std::isfinite(scale.shift));
      EXPECT_TRUE(positive(scale.scale));
    }
  }
  const std::vector<double> holes{Double::quiet_NaN(), 1, Double::infinity(), 2}, whole{1, 2};
  EXPECT_EQ(frame_of(holes, holes), frame_of(whole, whole));
}

}  // namespace
}  // namespace cmanp::base

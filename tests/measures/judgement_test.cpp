// Measures against numbers worked out by hand, and against draws whose distribution is known.
#include "measures/judgement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace cmanp::measures {
namespace {

Judgement judge(const std::vector<double>& y, const std::vector<double>& mean, const std::vector<double>& std,
                std::size_t width = 1, const BandScales& scales = kPlainBands) {
  Judge judge(scales);
  judge.add(y, mean, std, width);
  return judge.judgement();
}

TEST(Judgement, OfThreeNumbersByHand) {
  const Judgement result = judge({1, 2, 6}, {1, 1, 2}, {1, 1, 2});  // errors 0, 1, 4; z 0, 1, 2
  EXPECT_EQ(result.points, 3U);
  EXPECT_NEAR(result.mae.value, 5.0 / 3, 1e-12);
  EXPECT_NEAR(result.mae.standard_error, std::sqrt((25.0 / 9 + 4.0 / 9 + 49.0 / 9) / 2 / 3), 1e-12);
  EXPECT_NEAR(result.rmse.value, std::sqrt(17.0 / 3), 1e-12);
  EXPECT_NEAR(result.log_likelihood.value, -0.5 * std::log(2 * M_PI) - (0.5 + 2) / 3 - std::log(2) / 3, 1e-12);
  // 0.23369 (z 0, s 1), 0.60244 (z 1, s 1), 2 * 1.45279 (z 2, s 2): the closed form, evaluated elsewhere.
  EXPECT_NEAR(result.crps.value, (0.2336950 + 0.6024414 + 2 * 1.4527917) / 3, 1e-6);
  EXPECT_NEAR(result.bands[0].coverage.value, 1.0 / 3, 1e-12);
  EXPECT_NEAR(result.bands[1].coverage.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(result.bands[2].coverage.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(result.bands[2].coverage.standard_error, std::sqrt(2.0 / 9 / 3), 1e-12);
  EXPECT_NEAR(result.bands[2].width.value, 2 * 1.959964 * 4 / 3, 1e-5);
  EXPECT_NEAR(result.pit[5].value, 1.0 / 3, 1e-12);  // exactly a half
  EXPECT_NEAR(result.pit[8].value, 1.0 / 3, 1e-12);  // 0.841
  EXPECT_NEAR(result.pit[9].value, 1.0 / 3, 1e-12);  // 0.977
}

// The integral that the closed form stands for.
TEST(Judgement, CrpsIsTheIntegralOfSquaredDifferences) {
  const double y = 0.7, mean = -0.4, std = 1.3, step = 1e-3;
  double integral = 0;
  for (double at = -20; at < 20; at += step) {
    const double difference = normal_below((at - mean) / std) - (at >= y ? 1 : 0);
    integral += difference * difference * step;
  }
  EXPECT_NEAR(judge({y}, {mean}, {std}).crps.value, integral, 2e-3);
}

TEST(Judgement, OfHonestPredictionsIsCalibrated) {
  constexpr std::size_t kCount = 20'000;
  base::Random random(3);
  std::vector<double> y, mean, std;
  for (std::size_t i = 0; i < kCount; ++i) {
    mean.push_back(random.uniform(-5, 5));
    std.push_back(random.uniform(0.1, 3));
    y.push_back(mean.back() + std.back() * random.normal());
  }
  const Judgement honest = judge(y, mean, std);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    EXPECT_NEAR(honest.bands[i].coverage.value, kLevels[i].probability, 4 * honest.bands[i].coverage.standard_error);
  }
  for (const Measured& share : honest.pit) EXPECT_NEAR(share.value, 0.1, 4 * share.standard_error);
  for (double& one : std) one /= 2;
  EXPECT_LT(judge(y, mean, std).bands[2].coverage.value, 0.7);
  EXPECT_NEAR(judge(y, mean, std, 1, {2, 2, 2}).bands[2].coverage.value, honest.bands[2].coverage.value, 1e-12);
}

TEST(Judgement, LogLikelihoodIsAPointsWhateverItsChannels) {
  const std::vector<double> y{1, 2, 3, 4}, mean{1, 1, 1, 1}, std{1, 2, 3, 4};
  EXPECT_EQ(judge(y, mean, std, 2).points, 2U);
  EXPECT_NEAR(judge(y, mean, std, 2).log_likelihood.value, 2 * judge(y, mean, std, 1).log_likelihood.value, 1e-12);
  EXPECT_EQ(judge(y, mean, std, 2).mae.value, judge(y, mean, std, 1).mae.value);
}

}  // namespace
}  // namespace cmanp::measures

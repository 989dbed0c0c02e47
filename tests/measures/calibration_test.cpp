// Scales are found where deviations are wrong, and left alone where they are right.
#include "measures/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace cmanp::measures {
namespace {

struct Errors {
  std::vector<double> z;
  std::vector<std::size_t> fold;
};

template <class Draw>
Errors draw_errors(std::size_t count, const Draw& draw) {
  base::Random random(7);
  Errors errors;
  for (std::size_t i = 0; i < count; ++i) {
    errors.z.push_back(draw(random));
    errors.fold.push_back(i % 5);
  }
  return errors;
}

TEST(Calibration, DeviationsThatAreTooSmallAreScaledUp) {
  const Errors errors = draw_errors(2000, [](base::Random& random) { return 2.5 * random.normal(); });
  const Calibration found = calibrate(errors.z, errors.fold, 5);
  EXPECT_NEAR(found.deviation_scale, 2.5, 0.15);
  EXPECT_EQ(found.band_scales, kPlainBands);  // normal errors need no more
  EXPECT_GT(found.gain.value, 1);
}

TEST(Calibration, HonestDeviationsStayAsTheyAre) {
  const Errors errors = draw_errors(2000, [](base::Random& random) { return random.normal(); });
  EXPECT_FALSE(calibrate(errors.z, errors.fold, 5).changes());
}

// Half of all errors tiny, half large: no one deviation makes all bands right, so each gets its own factor.
TEST(Calibration, BandsOfErrorsThatAreNotNormalGetFactorsOfTheirOwn) {
  const Errors errors =
      draw_errors(4000, [](base::Random& random) { return random.normal() * (random.uniform() < 0.5 ? 0.1 : 1.41); });
  const Calibration found = calibrate(errors.z, errors.fold, 5);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const double limit = kLevels[i].deviations * found.band_scales[i] * found.deviation_scale;
    double inside = 0;
    for (const double z : errors.z) inside += std::abs(z) <= limit ? 1 : 0;
    EXPECT_NEAR(inside / 4000, kLevels[i].probability, 0.02);
  }
  EXPECT_LT(found.band_scales[0], 0.8);
}

TEST(Calibration, AFewPointsAreNoReasonToChangeAModel) {
  EXPECT_FALSE(calibrate(std::vector<double>{1.5, -0.4}, std::vector<std::size_t>{0, 1}, 2).changes());
  EXPECT_FALSE(calibrate({}, {}, 2).changes());
}

TEST(Bands, HoldTheirShareOfErrorsThatAreNotNormal) {
  // Of Laplace's shape: more in the middle and far out than a normal's.
  std::vector<double> z;
  for (int i = 0; i < 2000; ++i) {
    const double u = (i + 0.5) / 2000;
    z.push_back(u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u));
  }
  const BandScales scales = bands_by(z);
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    const auto inside = std::count_if(
        z.begin(), z.end(), [&](double one) { return std::abs(one) <= kLevels[level].deviations * scales[level]; });
    const double share = kLevels[level].probability;  // or near enough to be left alone
    EXPECT_NEAR(static_cast<double>(inside) / 2000, share, scales[level] == 1 ? 2 * std::sqrt(share / 4000) : 0.002);
  }
  EXPECT_GT(scales[2], 1.4);
  EXPECT_EQ(bands_by(std::vector<double>{5, 6, 7}), kPlainBands);  // too few to say
}

}  // namespace
}  // namespace cmanp::measures

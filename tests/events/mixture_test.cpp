#include "events/mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cmanp::events {
namespace {

const LogNormalMixture kMixture{{0.2, 0.5, 0.3}, {-2, 0.5, 3}, {0.3, 1.2, 0.7}};

// The integral of f over the logarithm of time, by the midpoint rule.
template <class F>
double integral(const F& f, double from, double to) {
  constexpr int kSteps = 200000;
  const double step = (to - from) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double time = std::exp(from + (i + 0.5) * step);
    sum += f(time) * time * step;
  }
  return sum;
}

TEST(Mixture, DensityIntegratesToOne) {
  EXPECT_NEAR(integral([](double t) { return std::exp(kMixture.log_density(t)); }, -15, 15), 1, 1e-9);
}

TEST(Mixture, CdfAndSurvivalAreTheDensitysIntegrals) {
  for (const double time : {0.01, 0.2, 1.0, 5.0, 60.0}) {
    const double below = integral([](double t) { return std::exp(kMixture.log_density(t)); }, -20, std::log(time));
    EXPECT_NEAR(kMixture.cdf(time), below, 1e-9);
    EXPECT_NEAR(std::exp(kMixture.log_survival(time)), 1 - below, 1e-9);
  }
  EXPECT_EQ(kMixture.cdf(0), 0);
  EXPECT_EQ(kMixture.log_survival(0), 0);
}

TEST(Mixture, QuantilesInvertTheCdf) {
  for (const double share : {1e-6, 0.05, 0.25, 0.5, 0.75, 0.95, 1 - 1e-6}) {
    EXPECT_NEAR(kMixture.cdf(kMixture.quantile(share)), share, 1e-11);
  }
}

TEST(Mixture, MeansAreIntegralsOfTime) {
  const auto weighted = [](double t) { return t * std::exp(kMixture.log_density(t)); };
  for (const double limit : {0.1, 2.0, 30.0}) {
    const double expected = integral(weighted, -20, std::log(limit)) + limit * std::exp(kMixture.log_survival(limit));
    EXPECT_NEAR(kMixture.mean_up_to(limit), expected, 1e-8 * expected);
  }
  const double all = integral(weighted, -20, 20);
  EXPECT_NEAR(kMixture.mean_up_to(1e300), all, 1e-6 * all);
  const LogNormalMixture heavy{{0.5, 0.5}, {0, 10}, {1, 60}};  // its mean is beyond all numbers
  EXPECT_GT(heavy.mean_up_to(100), 20);
  EXPECT_LT(heavy.mean_up_to(100), 100);
}

TEST(Mixture, IntensityIsTheRateGivenSurvival) {
  // -d/dt log survival
  const double time = 1.7, step = 1e-6;
  const double slope = (kMixture.log_survival(time - step) - kMixture.log_survival(time + step)) / (2 * step);
  EXPECT_NEAR(kMixture.intensity(time), slope, 1e-6);
}

TEST(Mixture, FarTailsAreFinite) {
  const LogNormalMixture narrow{{1}, {0}, {0.01}};
  EXPECT_NEAR(narrow.log_survival(std::exp(1.0)), -5005.524, 1e-2);  // -z^2/2 - log(z sqrt(2 pi)), z = 100
  EXPECT_TRUE(std::isfinite(narrow.log_density(1e-300)));
  EXPECT_EQ(narrow.cdf(1e300), 1);
}

TEST(Mixture, RawAnswersBecomeAMixture) {
  const LogNormalMixture mixture = make_mixture({0, std::log(3.0), 1, -2, 0, 100}, 5, 2);
  EXPECT_NEAR(mixture.weights[0], 0.25, 1e-12);
  EXPECT_NEAR(mixture.weights[1], 0.75, 1e-12);
  EXPECT_NEAR(mixture.means[0], 7, 1e-12);
  EXPECT_NEAR(mixture.means[1], 1, 1e-12);
  EXPECT_NEAR(mixture.deviations[0], 2 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(mixture.deviations[1], 2 * std::exp(3.0), 1e-9);  // the bound
}

}  // namespace
}  // namespace cmanp::events

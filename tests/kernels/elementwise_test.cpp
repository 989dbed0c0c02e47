#include "kernels/elementwise.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/every_target.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class ElementwiseTest : public EveryTarget {};

// Every 997th float there is, from all of them: both signs, subnormals, infinities.
std::vector<float> floats_of_every_kind() {
  std::vector<float> result;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 997) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(value)) result.push_back(value);
  }
  return result;
}

double ulp(double value) {
  const float as_float = static_cast<float>(value);
  return static_cast<double>(std::nextafter(as_float, std::numeric_limits<float>::infinity())) -
         static_cast<double>(as_float);
}

void expect_exp(const std::vector<float>& x) {
  std::vector<float> y(x.size());
  exp(x.data(), x.size(), y.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::exp(static_cast<double>(x[i]));
    if (want > static_cast<double>(std::numeric_limits<float>::max())) {
      ASSERT_EQ(y[i], std::numeric_limits<float>::infinity()) << "exp(" << x[i] << ")";
    } else if (want < static_cast<double>(std::numeric_limits<float>::min())) {
      ASSERT_EQ(y[i], 0.0f) << "exp(" << x[i] << ")";
    } else {
      const double error = std::abs(static_cast<double>(y[i]) - want) / ulp(want);
      ASSERT_LE(error, 2.0) << "exp(" << x[i] << ")";
      worst = std::max(worst, error);
    }
  }
  testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(ElementwiseTest, ExpIsWithinTwoUlpOverTheWholeRange) { expect_exp(floats_of_every_kind()); }

TEST_P(ElementwiseTest, ExpIsWithinTwoUlpWhereResultsAreNormal) {
  std::vector<float> x;
  for (int i = -880'000; i <= 890'000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  expect_exp(x);
}

TEST_P(ElementwiseTest, ExpAtItsEdges) {
  const float smallest = std::log(std::numeric_limits<float>::min());
  const float largest = std::log(std::numeric_limits<float>::max());
  std::vector<float> x = {0.0f, -0.0f, 1.0f, -1.0f};
  for (float edge : {smallest, largest}) {
    for (int step = -3; step <= 3; ++step) x.push_back(std::bit_cast<float>(std::bit_cast<std::int32_t>(edge) + step));
  }
  expect_exp(x);
}

TEST_P(ElementwiseTest, GeluIsExactToFloatAccuracy) {
  std::vector<float> x = {0.0f, -0.0f, 30.0f, -30.0f, 1e30f, -1e30f};
  for (int i = -80'000; i <= 80'000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  std::vector<float> y(x.size());
  gelu(x.data(), x.size(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = plain::gelu(static_cast<double>(x[i]));
    // Two roundings near 1 in the distribution function, times x; two ulp where x is large.
    ASSERT_NEAR(y[i], want,
                2e-7 * std::max(1.0, std::min(std::abs(static_cast<double>(x[i])), 6.0)) + 2.4e-7 * std::abs(want))
        << "gelu(" << x[i] << ")";
  }
}

TEST_P(ElementwiseTest, AnyCount) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> x(count, 1.0f), y(count + 1, -7.0f);
    exp(x.data(), count, y.data());
    for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(y[i], 2.7182818f, 1e-6f);
    ASSERT_EQ(y[count], -7.0f);
  }
}

CMANP_ON_EVERY_TARGET(ElementwiseTest);

}  // namespace
}  // namespace cmanp::kernels

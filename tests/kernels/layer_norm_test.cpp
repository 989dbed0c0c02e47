#include "kernels/layer_norm.hpp"

#include "kernels/every_target.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class LayerNormTest : public EveryTarget {};

TEST_P(LayerNormTest, EqualsPlainNorm) {
  for (const std::size_t width : {1u, 2u, 15u, 16u, 17u, 31u, 64u, 100u}) {
    for (const float offset : {0.0f, 100.0f}) {
      auto x = plain::random_matrix(5, width, 1);
      for (float& value : x.values) value += offset;
      const auto gamma = plain::random_matrix(1, width, 2);
      const auto beta = plain::random_matrix(1, width, 3);
      const auto expected = plain::layer_norm(plain::to_rows(x), gamma, beta);
      auto y = plain::pad_rows(x);
      layer_norm(Norm::pack(gamma.data(), beta.data(), width), y.data(), padded(width), 5, y.data(), padded(width));
      // Numbers of order 100 have an ulp of 8e-6, and the deviations from their mean inherit it.
      const double tolerance = offset > 0 ? 2e-4 : 4e-6;
      for (std::size_t r = 0; r < 5; ++r) {
        for (std::size_t i = 0; i < padded(width); ++i) {
          ASSERT_NEAR(y[r * padded(width) + i], i < width ? expected[r][i] : 0.0, tolerance) << width << " at " << i;
        }
      }
    }
  }
}

CMANP_ON_EVERY_TARGET(LayerNormTest);

}  // namespace
}  // namespace cmanp::kernels

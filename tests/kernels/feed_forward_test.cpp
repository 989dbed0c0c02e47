#include "kernels/feed_forward.hpp"

#include "kernels/every_target.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class FeedForwardTest : public EveryTarget {};

TEST_P(FeedForwardTest, EqualsPlainSubLayer) {
  struct Sizes {
    std::size_t rows, width, hidden;
  };
  for (const auto& [rows, width, hidden] : {Sizes{1, 1, 1}, {7, 5, 3}, {50, 16, 24}, {100, 33, 20}, {128, 64, 128}}) {
    const auto gamma = plain::random_matrix(1, width, 1), beta = plain::random_matrix(1, width, 2);
    const auto w1 = plain::random_matrix(2 * hidden, width, 3, 1.0f / std::sqrt(static_cast<float>(width)));
    const auto b1 = plain::random_matrix(1, 2 * hidden, 4);
    const auto w2 = plain::random_matrix(width, hidden, 5, 1.0f / std::sqrt(static_cast<float>(hidden)));
    const auto b2 = plain::random_matrix(1, width, 6);
    const auto x = plain::random_matrix(rows, width, 7);
    const FeedForward layer = FeedForward::pack(Norm::pack(gamma.data(), beta.data(), width), w1.data(), b1.data(),
                                                w2.data(), b2.data(), width, hidden);

    const auto normal = plain::layer_norm(plain::to_rows(x), gamma, beta);
    auto gated = plain::linear(normal, w1, &b1);
    for (auto& row : gated) {
      for (std::size_t i = 0; i < hidden; ++i) row[i] *= plain::gelu(row[hidden + i]);
      row.resize(hidden);
    }
    const auto added = plain::linear(gated, w2, &b2);

    for (const Residual residual : {Residual::normalised, Residual::plain}) {
      auto y = plain::pad_rows(x);
      Buffer<float> scratch(layer.scratch());
      feed_forward(layer, residual, y.data(), rows, scratch.data());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < padded(width); ++i) {
          const double base = i < width ? (residual == Residual::normalised ? normal[r][i] : x(r, i)) : 0.0;
          ASSERT_NEAR(y[r * padded(width) + i], base + (i < width ? added[r][i] : 0.0), 3e-5)
              << width << " at " << r << "," << i;
        }
      }
    }
  }
}

TEST_P(FeedForwardTest, ARowComesToTheSameBitsInAnyCompany) {
  constexpr std::size_t kRows = 49, kWidth = 20, kHidden = 150;
  const auto gamma = plain::random_matrix(1, kWidth, 1), beta = plain::random_matrix(1, kWidth, 2);
  const auto w1 = plain::random_matrix(2 * kHidden, kWidth, 3), b1 = plain::random_matrix(1, 2 * kHidden, 4);
  const auto w2 = plain::random_matrix(kWidth, kHidden, 5), b2 = plain::random_matrix(1, kWidth, 6);
  const auto x = plain::pad_rows(plain::random_matrix(kRows, kWidth, 7));
  const FeedForward layer = FeedForward::pack(Norm::pack(gamma.data(), beta.data(), kWidth), w1.data(), b1.data(),
                                              w2.data(), b2.data(), kWidth, kHidden);
  Buffer<float> scratch(layer.scratch());
  for (const Residual residual : {Residual::normalised, Residual::plain}) {
    auto alone = x, together = x;
    for (std::size_t r = 0; r < kRows; ++r) {
      feed_forward(layer, residual, alone.data() + r * padded(kWidth), 1, scratch.data());
    }
    feed_forward(layer, residual, together.data(), kRows, scratch.data());
    for (std::size_t i = 0; i < kRows * padded(kWidth); ++i) ASSERT_EQ(together[i], alone[i]) << i;
  }
}

CMANP_ON_EVERY_TARGET(FeedForwardTest);

}  // namespace
}  // namespace cmanp::kernels

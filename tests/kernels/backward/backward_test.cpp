// Gradients of the fused sub-layers on every instruction set, against differences of the forward in double. (Against
// autograd, with all their weights, they are tested in tests/training.)
#include "kernels/backward/attention_backward.hpp"

#include <algorithm>
#include <array>

#include "kernels/backward/feed_forward_backward.hpp"
#include "kernels/backward/linears.hpp"
#include "kernels/backward/products.hpp"
#include "kernels/every_target.hpp"
#include "kernels/linear.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class BackwardTest : public EveryTarget {};

// d scalar / d value by central differences in double.
template <class Scalar>
double slope(const Scalar& scalar, double& value) {
  constexpr double kStep = 1e-5;
  const double kept = value;
  value = kept + kStep;
  const double above = scalar();
  value = kept - kStep;
  const double below = scalar();
  value = kept;
  return (above - below) / (2 * kStep);
}

double weighted_sum(const plain::Rows& rows, const plain::Matrix& weights) {
  double sum = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) sum += rows[r][c] * weights(r, c);
  }
  return sum;
}

TEST_P(BackwardTest, TransposedProductsAndColumnSums) {
  for (const std::size_t rows : {1u, 7u, 50u}) {
    const auto a = plain::random_matrix(rows, 13, 1), b = plain::random_matrix(rows, 32, 2);
    Buffer<float> product(13 * 32), sums(32);
    std::fill(product.begin(), product.end(), 1.0f);
    add_transposed_product(a.data(), 13, 13, b.data(), 32, 32, rows, product.data(), 32);
    add_column_sums(b.data(), 32, 32, rows, sums.data());
    for (std::size_t j = 0; j < 32; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rows; ++r) sum += b(r, j);
      EXPECT_NEAR(sums[j], sum, 2e-5);
      for (std::size_t i = 0; i < 13; ++i) {
        double want = 1;
        for (std::size_t r = 0; r < rows; ++r) want += a(r, i) * b(r, j);
        ASSERT_NEAR(product[i * 32 + j], want, 2e-5);
      }
    }
  }
}

TEST_P(BackwardTest, LayerNorm) {
  constexpr std::size_t kRows = 3;
  for (const std::size_t width : {5u, 16u, 20u}) {
    const auto x = plain::random_matrix(kRows, width, 1), dy = plain::random_matrix(kRows, width, 2);
    auto gamma = plain::random_matrix(1, width, 3);
    const auto beta = plain::random_matrix(1, width, 4);
    const auto rows = plain::pad_rows(x), up = plain::pad_rows(dy);
    Buffer<float> dx(rows.size());
    NormGradient gradient(width);
    layer_norm_backward(Norm::pack(gamma.data(), beta.data(), width), rows.data(), up.data(), kRows, padded(width),
                        dx.data(), gradient);
    auto inputs = plain::to_rows(x);
    const auto scalar = [&] { return weighted_sum(plain::layer_norm(inputs, gamma, beta), dy); };
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t i = 0; i < width; ++i) {
        ASSERT_NEAR(dx[r * padded(width) + i], slope(scalar, inputs[r][i]), 1e-4) << width << " at " << r << "," << i;
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      double sum = 0;
      for (std::size_t r = 0; r < kRows; ++r) sum += dy(r, i);
      EXPECT_NEAR(gradient.beta[i], sum, 1e-5);
    }
  }
}

TEST_P(BackwardTest, FeedForward) {
  constexpr std::size_t kRows = 130, kWidth = 16, kHidden = 20;  // more than a tile of rows
  const auto gamma = plain::random_matrix(1, kWidth, 1), beta = plain::random_matrix(1, kWidth, 2);
  const auto w1 = plain::random_matrix(2 * kHidden, kWidth, 3, 0.25f), b1 = plain::random_matrix(1, 2 * kHidden, 4);
  const auto w2 = plain::random_matrix(kWidth, kHidden, 5, 0.25f), b2 = plain::random_matrix(1, kWidth, 6);
  const auto x = plain::random_matrix(kRows, kWidth, 7), dy = plain::random_matrix(kRows, kWidth, 8);
  const FeedForward layer = FeedForward::pack(Norm::pack(gamma.data(), beta.data(), kWidth), w1.data(), b1.data(),
                                              w2.data(), b2.data(), kWidth, kHidden);
  const auto transposed = FeedForwardTransposed::pack(w1.data(), w2.data(), kWidth, kHidden);
  for (const Residual residual : {Residual::normalised, Residual::plain}) {
    Buffer<float> dx(kRows * kWidth), scratch(feed_forward_backward_scratch(layer));
    FeedForwardGradient gradient(kWidth, kHidden);
    feed_forward_backward(layer, transposed, residual, x.data(), dy.data(), kRows, dx.data(), gradient, scratch.data());
    auto inputs = plain::to_rows(x);
    const auto scalar = [&] {
      const auto normal = plain::layer_norm(inputs, gamma, beta);
      auto gated = plain::linear(normal, w1, &b1);
      for (auto& row : gated) {
        for (std::size_t i = 0; i < kHidden; ++i) row[i] *= plain::gelu(row[kHidden + i]);
        row.resize(kHidden);
      }
      return weighted_sum(plain::linear(gated, w2, &b2), dy) +
             weighted_sum(residual == Residual::normalised ? normal : inputs, dy);
    };
    for (const std::size_t r : {0u, 47u, 48u, 127u, 128u, 129u}) {
      for (std::size_t i = 0; i < kWidth; ++i) {
        ASSERT_NEAR(dx[r * kWidth + i], slope(scalar, inputs[r][i]), 1e-4) << r << "," << i;
      }
    }

    // What forward keeps changes no bit, neither of its answer nor of the gradient.
    Buffer<float> y(kRows * kWidth), kept_y(kRows * kWidth), kept_dx(kRows * kWidth), forward(layer.scratch());
    Buffer<float> projected(kRows * 2 * padded(kHidden));
    std::copy_n(x.data(), y.size(), y.data());
    std::copy_n(x.data(), y.size(), kept_y.data());
    feed_forward(layer, residual, y.data(), kRows, forward.data());
    feed_forward(layer, residual, kept_y.data(), kRows, forward.data(), projected.data());
    EXPECT_TRUE(std::equal(y.begin(), y.end(), kept_y.begin()));
    FeedForwardGradient kept_gradient(kWidth, kHidden);
    feed_forward_backward(layer, transposed, residual, x.data(), dy.data(), kRows, kept_dx.data(), kept_gradient,
                          scratch.data(), projected.data());
    EXPECT_TRUE(std::equal(dx.begin(), dx.end(), kept_dx.begin()));
    EXPECT_TRUE(std::equal(gradient.in.begin(), gradient.in.end(), kept_gradient.in.begin()));
    EXPECT_TRUE(std::equal(gradient.out.begin(), gradient.out.end(), kept_gradient.out.begin()));
  }
}

TEST_P(BackwardTest, Linears) {
  constexpr std::size_t kRows = 130;  // more than a tile of rows
  constexpr std::array<std::size_t, 4> kWidths{5, 20, 16, 3};
  std::vector<plain::Matrix> weights, biases;
  Linears linears;
  for (unsigned i = 0; i + 1 < kWidths.size(); ++i) {
    const std::size_t in = kWidths[i], out = kWidths[i + 1];
    weights.push_back(plain::random_matrix(out, in, 2 * i + 1, 0.4f));
    biases.push_back(plain::random_matrix(1, out, 2 * i + 2));
    linears.layers.push_back(Linear::pack(weights[i].data(), biases[i].data(), out, in));
    linears.transposed.push_back(Linear::pack_transposed(weights[i].data(), out, in));
  }
  const std::size_t in = linears.in(), out = linears.out();
  const auto x = plain::random_matrix(kRows, in, 7), dy = plain::random_matrix(kRows, out, 8);
  Buffer<float> memory(KeptRows::size(linears, kRows)), scratch(linears_scratch(linears));
  Buffer<float> y(kRows * out), kept_y(kRows * out), dx(kRows * in);
  const KeptRows kept(linears, memory.data(), kRows, 0);
  linears_forward(linears, x.data(), kRows, nullptr, y.data(), scratch.data());
  linears_forward(linears, x.data(), kRows, &kept, kept_y.data(), scratch.data());
  EXPECT_TRUE(std::equal(y.begin(), y.end(), kept_y.begin()));
  LinearsGradient gradient(linears), without_dx(linears);
  linears_backward(linears, x.data(), kept, dy.data(), kRows, dx.data(), gradient, scratch.data());
  linears_backward(linears, x.data(), kept, dy.data(), kRows, nullptr, without_dx, scratch.data());

  auto inputs = plain::to_rows(x);
  const auto answers = [&] {
    plain::Rows rows = inputs;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      rows = plain::linear(rows, weights[i], &biases[i]);
      if (i + 1 == weights.size()) break;
      for (auto& row : rows) {
        for (double& value : row) value = std::max(value, 0.0);
      }
    }
    return rows;
  };
  const plain::Rows want = answers();
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want[i / out][i % out], 2e-5);
  const auto scalar = [&] { return weighted_sum(answers(), dy); };
  for (const std::size_t r : {0u, 47u, 48u, 127u, 128u, 129u}) {
    for (std::size_t i = 0; i < in; ++i)
      ASSERT_NEAR(dx[r * in + i], slope(scalar, inputs[r][i]), 1e-4) << r << "," << i;
  }
  // Of the last bias it is the sum of what comes from above; the others are held against autograd.
  for (std::size_t c = 0; c < out; ++c) {
    double sum = 0;
    for (std::size_t r = 0; r < kRows; ++r) sum += dy(r, c);
    EXPECT_NEAR(gradient.biases.back()[c], sum, 5e-5);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(std::equal(gradient.weights[i].begin(), gradient.weights[i].end(), without_dx.weights[i].begin()));
  }
}

TEST_P(BackwardTest, Attention) {
  const Heads heads{2, 16};
  struct Counts {
    std::size_t queries, keys;
  };
  for (const auto& [queries, keys] : {Counts{1, 1}, {7, 5}, {100, 20}}) {  // the last: more than a block of queries
    auto q = plain::to_rows(plain::random_matrix(queries, heads.inner(), 1, 0.3f));
    auto k = plain::to_rows(plain::random_matrix(keys, heads.inner(), 2, 0.3f));
    auto v = plain::to_rows(plain::random_matrix(keys, heads.inner(), 3));
    const auto dy = plain::random_matrix(queries, heads.inner(), 4);
    const auto as_floats = [](const plain::Rows& rows) {
      Buffer<float> result(rows.size() * rows[0].size());
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<float>(rows[i / rows[0].size()][i % rows[0].size()]);
      }
      return result;
    };
    const auto fq = as_floats(q), fk = as_floats(k), fv = as_floats(v);
    Buffer<float> kt(padded(keys) * heads.inner()), vt(padded(keys) * heads.inner());
    transpose_to_panels(fk.data(), heads.inner(), keys, heads.inner(), kt.data());
    transpose_to_panels(fv.data(), heads.inner(), keys, heads.inner(), vt.data());
    Buffer<float> dq(fq.size()), dk(fk.size()), dv(fv.size()), scratch(attend_backward_scratch(keys));
    attend_backward(heads, fq.data(), queries, {fk.data(), kt.data(), vt.data(), keys}, dy.data(), dq.data(), dk.data(),
                    dv.data(), scratch.data());
    const auto scalar = [&] { return weighted_sum(plain::attention(q, k, v, heads.count), dy); };
    const auto expect_slopes = [&](const Buffer<float>& gradient, plain::Rows& rows, const char* what) {
      for (std::size_t i = 0; i < gradient.size(); i += 37) {
        double& value = rows[i / heads.inner()][i % heads.inner()];
        ASSERT_NEAR(gradient[i], slope(scalar, value), 1e-4) << what << " " << i << " of " << queries << "x" << keys;
      }
    };
    expect_slopes(dq, q, "query");
    expect_slopes(dk, k, "key");
    expect_slopes(dv, v, "value");
  }
}

// Chunks of a context, each with what the whole came to, add up to the whole.
TEST_P(BackwardTest, AttentionInChunks) {
  const Heads heads{2, 16};
  constexpr std::size_t kQueries = 100, kKeys = 23;
  const std::size_t inner = heads.inner();
  const auto q = plain::random_matrix(kQueries, inner, 1), up = plain::random_matrix(kQueries, inner, 4);
  const auto k = plain::random_matrix(kKeys, inner, 2), v = plain::random_matrix(kKeys, inner, 3);
  Buffer<float> max(heads.count * kQueries), sum(max.size()), mean(max.size());
  const auto run = [&](std::size_t first, std::size_t count, const WholeContext* whole, float* dq, float* dk,
                       float* dv) {
    Buffer<float> kt(padded(count) * inner), vt(padded(count) * inner), scratch(attend_backward_scratch(count));
    transpose_to_panels(k.data() + first * inner, inner, count, inner, kt.data());
    transpose_to_panels(v.data() + first * inner, inner, count, inner, vt.data());
    if (whole == nullptr) {
      Buffer<float> weighted(kQueries * inner);
      attend_unnormalised(heads, q.data(), inner, kQueries, {kt.data(), v.data(), count}, max.data(), sum.data(),
                          weighted.data(), scratch.data());
      for (std::size_t row = 0; row < max.size(); ++row) {
        const float* of_query = up.data() + row % kQueries * inner + row / kQueries * heads.dim;
        for (std::size_t i = 0; i < heads.dim; ++i) mean[row] += of_query[i] * weighted[row * heads.dim + i] / sum[row];
      }
    }
    attend_backward(heads, q.data(), kQueries, {k.data() + first * inner, kt.data(), vt.data(), count}, up.data(), dq,
                    dk + first * inner, dv + first * inner, scratch.data(), whole);
  };
  Buffer<float> dq(kQueries * inner), dk(kKeys * inner), dv(kKeys * inner);
  run(0, kKeys, nullptr, dq.data(), dk.data(), dv.data());
  const WholeContext whole{max.data(), sum.data(), mean.data()};
  Buffer<float> chunk_dq(dq.size()), dq_sum(dq.size()), chunk_dk(dk.size()), chunk_dv(dv.size());
  for (std::size_t first = 0; first < kKeys; first += 7) {
    run(first, std::min<std::size_t>(7, kKeys - first), &whole, chunk_dq.data(), chunk_dk.data(), chunk_dv.data());
    for (std::size_t i = 0; i < dq.size(); ++i) dq_sum[i] += chunk_dq[i];
  }
  for (std::size_t i = 0; i < dq.size(); ++i) ASSERT_NEAR(dq_sum[i], dq[i], 2e-5) << "query " << i;
  for (std::size_t i = 0; i < dk.size(); ++i) ASSERT_NEAR(chunk_dk[i], dk[i], 2e-5) << "key " << i;
  for (std::size_t i = 0; i < dv.size(); ++i) ASSERT_NEAR(chunk_dv[i], dv[i], 2e-5) << "value " << i;
}

CMANP_ON_EVERY_TARGET(BackwardTest);

}  // namespace
}  // namespace cmanp::kernels

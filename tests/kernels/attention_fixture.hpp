// Queries, keys and values in the kernels' layout and in a plain one.
#pragma once

#include <gtest/gtest.h>

#include "kernels/attention.hpp"
#include "kernels/linear.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {

struct AttentionSizes {
  Heads heads;
  std::size_t queries;
  std::size_t keys;
};

// Around tiles and panels: one of everything, head size 1, heads wider than a panel, the paper's own.
inline constexpr AttentionSizes kAttentionSizes[] = {{{1, 1}, 1, 1},     {{4, 1}, 3, 5},   {{2, 8}, 13, 16},
                                                     {{1, 16}, 6, 17},   {{3, 5}, 25, 40}, {{2, 24}, 12, 31},
                                                     {{4, 16}, 128, 128}};

// Scores are sums of up to 24 products of order 1, as large as 20: a rounding of some 1e-6 each, passed on by exp.
inline constexpr double kAttentionTolerance = 1e-5;

struct AttentionInputs {
  AttentionInputs(const AttentionSizes& sizes_, unsigned seed, float scale = 1.0f)
      : sizes(sizes_),
        q(plain::random_matrix(sizes.queries, sizes.heads.inner(), seed, scale)),
        k(plain::random_matrix(sizes.keys, sizes.heads.inner(), seed + 1, scale)),
        v(plain::random_matrix(sizes.keys, sizes.heads.inner(), seed + 2)),
        transposed(keys_size(sizes.heads, sizes.keys)),
        values(values_size(sizes.heads, sizes.keys)) {
    transpose_to_panels(k.data(), sizes.heads.inner(), sizes.keys, sizes.heads.inner(), transposed.data());
    for (std::size_t j = 0; j < sizes.keys; ++j) {
      for (std::size_t h = 0; h < sizes.heads.count; ++h) {
        for (std::size_t i = 0; i < sizes.heads.dim; ++i) {
          values[j * sizes.heads.padded_inner() + h * padded(sizes.heads.dim) + i] =
              static_cast<float>(v(j, h * sizes.heads.dim + i));
        }
      }
    }
  }

  Keys keys() const { return {transposed.data(), values.data(), sizes.keys}; }

  plain::Rows expected() const {
    return plain::attention(plain::to_rows(q), plain::to_rows(k), plain::to_rows(v), sizes.heads.count);
  }

  AttentionSizes sizes;
  plain::Matrix q;
  const plain::Matrix k;
  const plain::Matrix v;
  Buffer<float> transposed;
  Buffer<float> values;
};

// out [queries][padded_inner] against [queries][inner].
inline void expect_heads_near(const AttentionSizes& sizes, const Buffer<float>& out, const plain::Rows& expected,
                              double tolerance) {
  for (std::size_t r = 0; r < sizes.queries; ++r) {
    for (std::size_t h = 0; h < sizes.heads.count; ++h) {
      for (std::size_t i = 0; i < padded(sizes.heads.dim); ++i) {
        const double want = i < sizes.heads.dim ? expected[r][h * sizes.heads.dim + i] : 0.0;
        ASSERT_NEAR(out[r * sizes.heads.padded_inner() + h * padded(sizes.heads.dim) + i], want, tolerance)
            << sizes.heads.count << " heads of " << sizes.heads.dim << ", query " << r << ", head " << h << ", " << i;
      }
    }
  }
}

}  // namespace cmanp::kernels

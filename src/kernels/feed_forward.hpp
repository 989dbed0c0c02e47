// The pre-norm feed-forward sub-layer, fused: norm, two projections around GEGLU and the residual, a few rows at a
// time.
#pragma once

#include <cmanp/residual.hpp>
#include <cstddef>

#include "kernels/layer_norm.hpp"
#include "kernels/linear.hpp"

namespace cmanp::kernels {

struct FeedForward {
  Norm norm;
  std::size_t hidden = 0;
  Linear in;   // width -> [padded(hidden) values | padded(hidden) gates]
  Linear out;  // hidden -> width

  // in_weights [2 * hidden][width], out_weights [width][hidden].
  static FeedForward pack(Norm norm, const float* in_weights, const float* in_bias, const float* out_weights,
                          const float* out_bias, std::size_t width, std::size_t hidden);

  std::size_t bytes() const { return norm.bytes() + in.bytes() + out.bytes(); }
  std::size_t scratch() const;  // in floats
  static std::size_t scratch(std::size_t width, std::size_t hidden);
  std::size_t multiply_adds(std::size_t rows) const { return rows * (in.in * 2 * hidden + hidden * out.out); }
};

// x [rows][padded(width)] = residual + W2 (a * GELU(g)), [a, g] = W1 norm(x). Where `projected` [rows][2
// padded(hidden)] is given, [a, g] are kept there.
void feed_forward(const FeedForward& layer, Residual residual, float* x, std::size_t rows, float* scratch,
                  float* projected = nullptr);

}  // namespace cmanp::kernels

// The gradient of the pre-norm feed-forward sub-layer, fused as its forward is: what forward did not keep is computed
// anew, a few rows at a time, and never leaves the cache.
#pragma once

#include <cmanp/residual.hpp>
#include <cstddef>

#include "kernels/backward/layer_norm_backward.hpp"
#include "kernels/feed_forward.hpp"

namespace cmanp::kernels {

// The weights once more, packed for products from the other side.
struct FeedForwardTransposed {
  Linear in;   // [padded(hidden) values | padded(hidden) gates] -> width
  Linear out;  // width -> hidden

  static FeedForwardTransposed pack(const float* in_weights, const float* out_weights, std::size_t width,
                                    std::size_t hidden);
};

struct FeedForwardGradient {
  NormGradient norm;
  Buffer<float> in;        // [padded(hidden) values | padded(hidden) gates][padded(width)]
  Buffer<float> in_bias;   // [2 padded(hidden)]
  Buffer<float> out;       // [width][padded(hidden)]
  Buffer<float> out_bias;  // [padded(width)]

  FeedForwardGradient(std::size_t width, std::size_t hidden);
};

std::size_t feed_forward_backward_scratch(const FeedForward& layer);  // in floats

// dx = the gradient of x, given that of the sub-layer's output; adds to the weights' gradient. `projected` is what
// forward kept, or null.
void feed_forward_backward(const FeedForward& layer, const FeedForwardTransposed& transposed, Residual residual,
                           const float* x, const float* dy, std::size_t rows, float* dx, FeedForwardGradient& gradient,
                           float* scratch, const float* projected = nullptr);

}  // namespace cmanp::kernels

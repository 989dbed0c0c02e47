// The gradient of layer normalisation.
#pragma once

#include <cstddef>

#include "kernels/buffer.hpp"
#include "kernels/layer_norm.hpp"

namespace cmanp::kernels {

struct NormGradient {
  Buffer<float> gamma;  // [padded(width)]
  Buffer<float> beta;   // [padded(width)]

  explicit NormGradient(std::size_t width);
};

// dx += the gradient of x, given that of norm(x); adds to that of scale and shift. x is the norm's input, of which mean
// and variance are computed anew.
void layer_norm_backward(const Norm& norm, const float* x, const float* dy, std::size_t rows, std::size_t ld, float* dx,
                         NormGradient& gradient);

}  // namespace cmanp::kernels

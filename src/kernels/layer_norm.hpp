// Layer normalisation of rows.
#pragma once

#include <cstddef>

#include "kernels/buffer.hpp"

namespace cmanp::kernels {

// Scale and shift, padded with zeros.
struct Norm {
  Buffer<float> gamma;  // [padded(width)]
  Buffer<float> beta;   // [padded(width)]
  std::size_t width = 0;

  static Norm pack(const float* gamma, const float* beta, std::size_t width);
  // gamma 1, beta 0: for where the affine part is folded into the weights that follow.
  static Norm plain(std::size_t width);

  std::size_t bytes() const { return gamma.bytes() + beta.bytes(); }
};

// y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta; strides are multiples of 16, y may be x.
void layer_norm(const Norm& norm, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy);

}  // namespace cmanp::kernels

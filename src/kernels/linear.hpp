// Matrix products with weights that are packed once and used many times.
#pragma once

#include <cstddef>

#include "kernels/buffer.hpp"
#include "kernels/panel.hpp"

namespace cmanp::kernels {

// W [out][in] and b [out] as panels: y = x W^T + b.
struct Linear {
  std::size_t in = 0;
  std::size_t out = 0;
  Buffer<float> panels;  // [panels(out)][in][16]
  Buffer<float> bias;    // [padded(out)]

  // `bias` may be null for none.
  static Linear pack(const float* weights, const float* bias, std::size_t out, std::size_t in);
  // Of the transpose of weights [in][out], without biases: the product from the other side, as gradients take it.
  static Linear pack_transposed(const float* weights, std::size_t in, std::size_t out);

  std::size_t bytes() const { return panels.bytes() + bias.bytes(); }
};

enum class Into {
  set,       // y = x W^T + b
  set_relu,  // y = max(0, x W^T + b)
  add,       // y += x W^T + b
};

// x [rows][in], y [rows][padded(out)].
void linear(const Linear& layer, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy,
            Into into = Into::set);

// Rows x [rows][width] as panels of their transpose: [panels(rows)][width][16].
void transpose_to_panels(const float* x, std::size_t ldx, std::size_t rows, std::size_t width, float* panels);
// And back.
void panels_to_rows(const float* panels, std::size_t rows, std::size_t width, float* x, std::size_t ldx);

// The transpose of x W^T + b, straight into panels, with x as panels of its transpose:
// W [out][in], x [panels(rows)][in][16] -> y [panels(rows)][out][16].
void linear_transposed(const float* weights, const float* bias, std::size_t out, std::size_t in, const float* x,
                       std::size_t rows, float* y);

}  // namespace cmanp::kernels

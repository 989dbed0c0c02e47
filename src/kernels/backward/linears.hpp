// Linear layers with a ReLU between each two, forward as training needs it, and their gradient. What comes behind every
// ReLU is kept between the two.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/linear.hpp"

namespace cmanp::kernels {

struct Linears {
  std::vector<Linear> layers;
  std::vector<Linear> transposed;  // from the other side, without biases; backward only

  std::size_t in() const { return layers.front().in; }
  std::size_t out() const { return layers.back().out; }
};

// Where all layers' outputs but the last one's are kept, each [rows][padded(out)].
struct KeptRows {
  std::vector<float*> layers;

  static std::size_t size(const Linears& linears, std::size_t rows);  // in floats
  // Of a stretch of `all_rows` that begins at row `first`.
  KeptRows(const Linears& linears, float* base, std::size_t all_rows, std::size_t first);
};

struct LinearsGradient {
  std::vector<Buffer<float>> weights;  // [out][padded(in)]
  std::vector<Buffer<float>> biases;   // [padded(out)]

  explicit LinearsGradient(const Linears& linears);
};

std::size_t linears_scratch(const Linears& linears);  // in floats, for either direction

// y [rows][out] of x [rows][in], without gaps. `kept` is null where no gradient is wanted.
void linears_forward(const Linears& linears, const float* x, std::size_t rows, const KeptRows* kept, float* y,
                     float* scratch);

// Adds to the weights' gradient; dx [rows][in] is set, or null where nobody asks for it.
void linears_backward(const Linears& linears, const float* x, const KeptRows& kept, const float* dy, std::size_t rows,
                      float* dx, LinearsGradient& gradient, float* scratch);

}  // namespace cmanp::kernels

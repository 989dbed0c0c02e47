// Linear layers with a ReLU between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/linear.hpp"

namespace cmanp::runtime {

struct Mlp {
  std::vector<kernels::Linear> layers;

  std::size_t in() const { return layers.front().in; }
  std::size_t out() const { return layers.back().out; }

  // Floats of scratch for so many rows: two layers' outputs.
  std::size_t scratch(std::size_t rows) const {
    std::size_t widest = 0;
    for (const auto& layer : layers) widest = std::max(widest, kernels::padded(layer.out));
    return 2 * rows * widest;
  }

  // y [rows][padded(out)]; x [rows][ldx].
  void run(const float* x, std::size_t ldx, std::size_t rows, float* y, float* scratch) const {
    const std::size_t half = this->scratch(rows) / 2;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const bool last = i + 1 == layers.size();
      const std::size_t ldy = kernels::padded(layers[i].out);
      float* to = last ? y : scratch + (i % 2) * half;
      kernels::linear(layers[i], x, ldx, rows, to, ldy, last ? kernels::Into::set : kernels::Into::set_relu);
      x = to;
      ldx = ldy;
    }
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& layer : layers) sum += layer.bytes();
    return sum;
  }

  std::size_t multiply_adds(std::size_t rows) const {
    std::size_t sum = 0;
    for (const auto& layer : layers) sum += rows * layer.in * layer.out;
    return sum;
  }
};

}  // namespace cmanp::runtime

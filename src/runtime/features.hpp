// What the embedders read: normalised x, its sines and cosines where the model asks for them, and normalised y. In
// relative coordinates x only where the model asks for absolute features, or else what of x is no place.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include "runtime/weights.hpp"

namespace cmanp::runtime {

// One row per point, [rows][ld]; `y` null leaves it out.
inline void write_features(const Weights& weights, const double* x, const double* y, std::size_t rows, float* out,
                           std::size_t ld) {
  const Config& config = weights.config;
  const Normalisation& n = weights.normalisation;
  const bool knows_x = !config.relative() || config.absolute_features;
  const std::size_t first_feature = config.dim_x - config.features;
  for (std::size_t r = 0; r < rows; ++r) {
    float* to = out + r * ld;
    for (std::size_t c = 0; knows_x && c < config.dim_x; ++c) {
      const double value = (x[r * config.dim_x + c] - n.x_shift[c]) / n.x_scale[c];
      to[c] = static_cast<float>(value);
      for (std::size_t k = 0; k < config.fourier_features; ++k) {
        const double angle = std::ldexp(std::numbers::pi / 4, static_cast<int>(k)) * value;
        to[config.dim_x * (1 + 2 * k) + c] = static_cast<float>(std::sin(angle));
        to[config.dim_x * (2 + 2 * k) + c] = static_cast<float>(std::cos(angle));
      }
    }
    for (std::size_t c = first_feature; !knows_x && c < config.dim_x; ++c) {
      to[c - first_feature] = static_cast<float>((x[r * config.dim_x + c] - n.x_shift[c]) / n.x_scale[c]);
    }
    if (y == nullptr) continue;
    to += config.content_x();
    for (std::size_t c = 0; c < config.dim_y; ++c) {
      to[c] = static_cast<float>((y[r * config.dim_y + c] - n.y_shift[c]) / n.y_scale[c]);
    }
  }
}

}  // namespace cmanp::runtime

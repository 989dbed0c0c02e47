// From targets to what the heads read: embedded, attended to the latents layer by layer. And the diagonal head.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cursor.hpp"
#include "runtime/encoder.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

// Targets decoded at once: enough for the weights to be read once for many.
inline constexpr std::size_t kTargets = 96;

struct DecodeSpace {
  float* features;  // [kTargets][padded(features_x)]
  float* mlp;       // of embedder and predictor
  float* places;    // [kTargets][axes], in relative coordinates
  float* cos;       // [kTargets][turns] there
  float* sin;
  float* sorted;  // [kTargets][padded(d)] there
  float* layer;   // a sub-layer's own scratch
  float* answer;  // [kTargets][padded(2 dim_y)]

  // For attention to so many latents.
  DecodeSpace(const Weights& weights, std::size_t latents, kernels::Cursor& cursor);
};

// hidden [count][padded(d)] = the decoder's normalised output for targets x; count at most kTargets.
void decode(const Weights& weights, const std::vector<LayerKeys>& keys, const double* x, std::size_t count,
            const DecodeSpace& space, float* hidden);

// Mean and standard deviation in raw units, [count][dim_y].
void diagonal_head(const Weights& weights, const float* hidden, std::size_t count, const DecodeSpace& space,
                   double* mean, double* std);

}  // namespace cmanp::runtime

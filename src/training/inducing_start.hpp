// Initial weights with which latents attend to their own neighbourhood from the first step, for EQTNP, LBANP and CMANP.
//
// As published, latents start as noise under which the context's signal is small, and training spends thousands of
// steps before it reads the context at all. Here a latent starts as the embedding of a point that might have been
// observed, as inducing points of a Gaussian process do.
#pragma once

#include <cstdint>

#include "training/neural_process.hpp"

namespace cmanp::training {

struct InducingStart {
  double gain = 0.7;          // of every linear map: weights N(0, gain^2 / inputs), biases 0
  double sharpness = 2;       // queries and keys start as this times one orthogonal map
  double low = -2, high = 2;  // where in each dimension of x latents lie, spread evenly; or
  torch::Tensor places;       // [n, dim_x], where they lie, in this order and again from the first
};

// Draws all weights anew, the same for the same seed. Every layer is drawn by itself.
void start_as_inducing_points(NeuralProcess& model, std::uint64_t seed, const InducingStart& start);

}  // namespace cmanp::training

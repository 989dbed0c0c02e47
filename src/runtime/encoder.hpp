// From the attention states to the latents: the part of each block behind its first cross-attention, and the keys and
// values that queries will read.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/attention_state.hpp"
#include "kernels/cursor.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

// What a decoder layer attends to, kept until the next observation.
struct LayerKeys {
  kernels::Buffer<float> transposed;
  kernels::Buffer<float> values;

  kernels::Keys view(std::size_t count) const { return {transposed.data(), values.data(), count}; }
};

struct EncodeSpace {
  float* own;       // [num_latents_per_layer][padded(layer_latent_dim)]
  float* attended;  // [num_latents_per_layer][padded_inner]
  float* latents;   // [num_latents][padded(latent_dim)]
  float* normal;    // of either
  float* panels;
  float* transposed;  // keys of phase 2
  float* values;
  float* layer;  // a sub-layer's own scratch

  EncodeSpace(const Weights& weights, kernels::Cursor& cursor);
};

// space.latents through one block, given its state; the first block's are the model's own.
void encode_block(const Weights& weights, std::size_t block, const kernels::AttentionState& state,
                  const EncodeSpace& space);

// keys[i] = what layer i of the decoder attends to, given the blocks' states.
void encode(const Weights& weights, const std::vector<kernels::AttentionState>& states, const EncodeSpace& space,
            std::vector<LayerKeys>& keys);

}  // namespace cmanp::runtime

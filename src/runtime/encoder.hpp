// From the attention states to the latents: the part of each block behind its first cross-attention, and the keys and
// values that queries will read.
//
// Rows go their way by themselves, but where they attend to each other: there all keys must be made before anybody
// reads them. So a block is three stretches of work, between which threads meet: up to the keys of its own latents; up
// to their keys for phase 2; up to the keys of the input latents. The rest goes along with the next block's first.
// Each stretch reads the keys that the one before it left and leaves its own beside them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/attention_state.hpp"
#include "kernels/cursor.hpp"
#include "runtime/crew.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

// What a decoder layer attends to, kept until the next observation.
struct LayerKeys {
  kernels::Buffer<float> transposed;  // rows of keys, in relative coordinates
  kernels::Buffer<float> values;

  kernels::Keys view(std::size_t count) const { return {transposed.data(), values.data(), count}; }
};

// Keys and values on their way from one stretch of work to the next.
struct PassedKeys {
  float* keys;
  float* values;
};

struct EncodeSpace {
  float* own;       // [num_latents_per_layer][padded(layer_latent_dim)]
  float* attended;  // [num_latents_per_layer][padded_inner]
  float* latents;   // [num_latents][padded(latent_dim)]
  float* normal;    // of own latents, as the next
  float* panels;
  float* latent_normal;
  float* latent_panels;
  PassedKeys keys[2];
  float* layer;  // a sub-layer's own scratch, of the calling thread

  EncodeSpace(const Weights& weights, kernels::Cursor& cursor);
};

std::size_t encode_layer_scratch(const Weights& weights);  // of any thread, in floats

// space.latents through one block, given its state; the first block's are the model's own.
void encode_block(const Weights& weights, std::size_t block, const kernels::AttentionState& state,
                  const EncodeSpace& space);

// All blocks, stretch by stretch; rows_of(block, part, scratch) gives one thread's rows of a block.
template <class RowsOf>
void encode_in_stretches(std::size_t blocks, const Crew& crew, const PassedKeys (&passed)[2], const RowsOf& rows_of,
                         const std::vector<kernels::AttentionState>& states, std::vector<LayerKeys>& keys) {
  const PassedKeys *left = &passed[0], *next = &passed[1];  // by the last stretch, and by this one
  const auto stretch = [&](const auto& work) {
    crew.run(work);
    std::swap(left, next);
  };
  stretch([&](std::size_t part, float* scratch) { rows_of(0, part, scratch).read_context(states[0], *next); });
  for (std::size_t b = 0; b < blocks; ++b) {
    stretch([&](std::size_t part, float* scratch) { rows_of(b, part, scratch).attend_to_own(*left, *next); });
    stretch([&](std::size_t part, float* scratch) { rows_of(b, part, scratch).read_own(*left, *next); });
    stretch([&](std::size_t part, float* scratch) {
      const auto rows = rows_of(b, part, scratch);
      rows.attend_to_latents(*left);
      rows.make_decoder_keys(b, {keys[b].transposed.data(), keys[b].values.data()});
      if (b + 1 < blocks) rows_of(b + 1, part, scratch).read_context(states[b + 1], *next);
    });
  }
}

// keys[i] = what layer i of the decoder attends to, given the blocks' states.
void encode(const Weights& weights, const std::vector<kernels::AttentionState>& states, const EncodeSpace& space,
            const Crew& crew, std::vector<LayerKeys>& keys);

}  // namespace cmanp::runtime

// The gradient of attention in relative coordinates, probabilities computed anew. Heads are spread, as in
// attention_backward.hpp.
#pragma once

#include <cstddef>

#include "kernels/backward/attention_layer_backward.hpp"
#include "kernels/relative_attention.hpp"

namespace cmanp::kernels {

struct RelativeGradient {
  Buffer<float> gamma;       // [heads]
  Buffer<float> omega;       // [axes][turns()]
  Buffer<float> null_score;  // [heads]
  Buffer<float> null_value;  // [heads][dim]

  explicit RelativeGradient(const RelativeHeads& relative);
};

// Places of rows, and their turns.
struct Placed {
  const float* places = nullptr;   // [rows][axes]
  const float* by_axis = nullptr;  // [axes][padded(rows)]
  Turns turns;
};

// Keys and values from context rows, already normalised: turned. `backward` asks for their transposes, too.
void make_relative_keys(const AttentionForwardPack& pack, const RelativeHeads& relative, const Placed& placed,
                        const float* normal, std::size_t rows, const KeySpace& space, bool backward);

// x [rows][padded(width)] += W_o attended + b_o, attended [rows][inner] = attention of q [rows][inner], turned.
// Scratch is relative_attention_scratch.
void attend_relative_and_add(const AttentionForwardPack& pack, const RelativeHeads& relative, const Placed& placed,
                             const float* q, std::size_t rows, const Placed& keys_placed, const KeySpace& keys,
                             std::size_t key_count, float* attended, float* x, float* scratch);

// From the gradient of what was added to those of q (set), keys and values (set), before they were turned.
void relative_backward(const AttentionForwardPack& pack, const AttentionBackwardPack& back,
                       const RelativeHeads& relative, const Placed& placed, const float* q, std::size_t rows,
                       const Placed& keys_placed, const KeySpace& keys, std::size_t key_count, const float* attended,
                       const float* dy, const AttentionUp& up, AttentionGradient& gradient,
                       RelativeGradient& relative_gradient, float* scratch);
std::size_t relative_backward_scratch(const RelativeHeads& relative, std::size_t rows, std::size_t keys);  // in floats

}  // namespace cmanp::kernels

// The pre-norm attention sub-layer as training needs it, forward and backward, in the steps that a cross-attention, a
// self-attention and a cross-attention with the same queries for every task are put together from.
//
// Heads are spread so that each starts on a panel (Heads::dim is a multiple of 16), in all of q, k, v and weights.
#pragma once

#include <cmanp/residual.hpp>
#include <cstddef>

#include "kernels/backward/attention_backward.hpp"
#include "kernels/backward/layer_norm_backward.hpp"
#include "kernels/cursor.hpp"
#include "kernels/linear.hpp"

namespace cmanp::kernels {

// Weights as PyTorch stores them: query [heads * dim][width], key_value [2 * heads * dim][context_width], output
// [width][heads * dim].
struct AttentionWeights {
  Heads heads;  // of the true size
  std::size_t width = 0;
  std::size_t context_width = 0;
  const float* query = nullptr;
  const float* key_value = nullptr;
  const float* output = nullptr;
  const float* output_bias = nullptr;
};

struct AttentionForwardPack {
  Heads heads;  // spread
  std::size_t width = 0;
  std::size_t context_width = 0;
  Linear query;  // scaled by 1 / sqrt(true head size)
  Linear key;
  Linear value;
  Linear output;

  static AttentionForwardPack pack(const AttentionWeights& weights);
};

// The same from the other side, without biases.
struct AttentionBackwardPack {
  Linear query;  // inner -> width, scaled
  Linear key;    // inner -> context_width
  Linear value;
  Linear output;  // width -> inner

  static AttentionBackwardPack pack(const AttentionWeights& weights);
};

struct AttentionGradient {
  Buffer<float> query;        // [inner][padded(width)], to be scaled as the weights were
  Buffer<float> key;          // [inner][padded(context_width)]
  Buffer<float> value;        // [inner][padded(context_width)]
  Buffer<float> output;       // [width][inner]
  Buffer<float> output_bias;  // [padded(width)]

  AttentionGradient(const AttentionForwardPack& pack);
};

// Keys and values of one task, and what backward reads besides.
struct KeySpace {
  float* keys;               // [rows][inner]
  float* values;             // [rows][inner]
  float* keys_transposed;    // [panels(rows)][inner][16]
  float* values_transposed;  // [panels(rows)][inner][16]; backward only

  KeySpace(const Heads& heads, std::size_t rows, Cursor& cursor);
};

// From context rows, already normalised. `backward` asks for values_transposed too.
void make_keys(const AttentionForwardPack& pack, const float* normal, std::size_t rows, const KeySpace& space,
               bool backward);

// x [rows][padded(width)] += W_o attended + b_o, attended [rows][inner] = attention(q, keys).
void attend_and_add(const AttentionForwardPack& pack, const float* q, std::size_t rows, const KeySpace& keys,
                    std::size_t key_count, float* attended, float* x, float* scratch);

// From the gradient of what was added to those of q (set), keys and values (added to; zeros at first).
struct AttentionUp {
  float* attended;  // [rows][inner]
  float* q;         // [rows][inner]
  float* keys;      // [key_count][inner]
  float* values;    // [key_count][inner]

  AttentionUp(const Heads& heads, std::size_t rows, std::size_t key_count, Cursor& cursor);
};
void attention_backward(const AttentionForwardPack& pack, const AttentionBackwardPack& back, const float* q,
                        std::size_t rows, const KeySpace& keys, std::size_t key_count, const float* attended,
                        const float* dy, const AttentionUp& up, AttentionGradient& gradient, float* scratch);

// dnormal [rows][padded(width)] += the gradient of the normalised queries' rows, and that of W_q.
void queries_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const float* dq,
                      float* dnormal, AttentionGradient& gradient);

// dnormal [rows][padded(context_width)] += the gradient of the normalised context rows, and those of W_k and W_v.
void keys_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const AttentionUp& up,
                   float* dnormal, AttentionGradient& gradient);

}  // namespace cmanp::kernels

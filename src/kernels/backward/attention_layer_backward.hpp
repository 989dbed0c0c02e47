// The gradient of the pre-norm attention sub-layer, in the steps that a cross-attention, a self-attention and a
// cross-attention with the same queries for every task are put together from. Forward is attention_layer.hpp's.
//
// Heads lie on panels (Heads::dim is a multiple of 16), in all of q, k, v and weights.
#pragma once

#include <cmanp/residual.hpp>
#include <cstddef>

#include "kernels/attention_layer.hpp"
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

// As forward reads them.
AttentionLayer pack_layer(const AttentionWeights& weights, Norm norm);

// As backward does: from the other side, without biases.
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

  explicit AttentionGradient(const AttentionLayer& layer);
};

// Keys and values of one task.
struct KeySpace {
  std::size_t rows;
  float* context_panels;   // [panels(rows)][context_width][16]
  float* keys_transposed;  // [panels(rows)][inner][16]
  float* values;           // [rows][inner]

  KeySpace(const AttentionLayer& layer, std::size_t rows, Cursor& cursor);

  // From context rows, already normalised.
  void make(const AttentionLayer& layer, const float* normal) const;
  Keys view() const { return {keys_transposed, values, rows}; }
};

// The same with what backward reads besides.
struct KeyBackwardSpace {
  KeySpace forward;
  float* keys;               // [rows][inner]
  float* values_transposed;  // [panels(rows)][inner][16]

  KeyBackwardSpace(const AttentionLayer& layer, std::size_t rows, Cursor& cursor);

  void make(const AttentionLayer& layer, const float* normal) const;
  KeysBackward view() const { return {keys, forward.keys_transposed, values_transposed, forward.rows}; }

  // Instead of both, where forward kept its keys and values.
  KeysBackward from(const AttentionLayer& layer, const float* keys_transposed, const float* values) const;
};

// From the gradient of what was added to those of q (set), keys and values (added to; zeros at first).
struct AttentionUp {
  float* attended;  // [rows][inner]
  float* q;         // [rows][inner]
  float* keys;      // [key_count][inner]
  float* values;    // [key_count][inner]

  AttentionUp(const Heads& heads, std::size_t rows, std::size_t key_count, Cursor& cursor);
};
void attention_backward(const AttentionLayer& layer, const AttentionBackwardPack& back, const float* q,
                        std::size_t rows, const KeysBackward& keys, const float* attended, const float* dy,
                        const AttentionUp& up, AttentionGradient& gradient, float* scratch);

// dnormal [rows][padded(width)] += the gradient of the normalised queries' rows, and that of W_q.
void queries_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const float* dq,
                      float* dnormal, AttentionGradient& gradient);

// dnormal [rows][padded(context_width)] += the gradient of the normalised context rows, and those of W_k and W_v.
void keys_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const AttentionUp& up,
                   float* dnormal, AttentionGradient& gradient);

}  // namespace cmanp::kernels

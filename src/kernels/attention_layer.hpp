// The pre-norm attention sub-layer, fused: norm, projections, attention, output projection and residual, a few queries
// at a time. Training's forward is the same code; it asks for what backward reads.
#pragma once

#include <cmanp/residual.hpp>
#include <cstddef>

#include "kernels/attention.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/linear.hpp"

namespace cmanp::kernels {

// How features of queries and keys lie: heads one behind the other, or each from the start of a panel, as those of
// values and outputs always do. Gradients are computed by panels.
enum class HeadLayout { close, on_panels };

struct AttentionLayer {
  Heads heads;                    // as they lie: on panels, their size is that of the panels
  std::size_t width = 0;          // of the queries
  std::size_t context_width = 0;  // of what keys and values come from
  Norm norm;
  Linear query;            // scaled by 1 / sqrt(head size)
  Buffer<float> key;       // [inner][context_width]
  Buffer<float> key_bias;  // [inner]
  Linear value;            // context_width -> padded_inner
  Linear output;           // padded_inner -> width

  // Weights as PyTorch stores them: query [inner][width], key and value [inner][context_width], output [width][inner].
  // Biases may be null. A norm of the context, if given (not null), is folded into keys and values: they are then made
  // from rows that are normalised without scale and shift.
  struct Raw {
    const float* query = nullptr;
    const float* query_bias = nullptr;
    const float* key = nullptr;
    const float* key_bias = nullptr;
    const float* value = nullptr;
    const float* value_bias = nullptr;
    const float* output = nullptr;
    const float* output_bias = nullptr;
    const float* context_gamma = nullptr;
    const float* context_beta = nullptr;
  };
  static AttentionLayer pack(const Raw& raw, Norm norm, const Heads& heads, std::size_t width,
                             std::size_t context_width, HeadLayout layout = HeadLayout::close);

  std::size_t bytes() const;
  std::size_t cross_scratch(std::size_t keys) const;  // in floats, as the others
  std::size_t self_scratch(std::size_t rows) const;

  std::size_t key_multiply_adds(std::size_t rows) const { return 2 * rows * heads.inner() * context_width; }
  std::size_t score_multiply_adds(std::size_t rows, std::size_t keys) const { return 2 * rows * keys * heads.inner(); }
  std::size_t query_multiply_adds(std::size_t rows, std::size_t keys) const {
    return 2 * rows * heads.inner() * width + score_multiply_adds(rows, keys);
  }
};

// Keys and values of context rows [rows][ld], with the same rows as panels of their transpose.
void project_keys(const AttentionLayer& layer, const float* context, std::size_t ld, const float* context_panels,
                  std::size_t rows, float* transposed, float* values);

// The same, with the panels made first, in [padded(rows) * context_width].
void make_keys(const AttentionLayer& layer, const float* context, std::size_t ld, std::size_t rows, float* panels,
               float* transposed, float* values);

// x [rows][padded(width)] += W_o attended, attended [rows][padded_inner] = attention(q, keys), q
// [rows][padded(inner)]. Scratch is attention_scratch(keys).
void attend_and_add(const AttentionLayer& layer, const float* q, std::size_t rows, const Keys& keys, float* attended,
                    float* x, float* scratch);

// What training asks forward to keep for backward; null is not asked for.
struct AttentionKept {
  float* attended = nullptr;         // [rows][padded_inner], what the output projection reads
  float* q = nullptr;                // [rows][padded(inner)]
  float* keys_transposed = nullptr;  // [keys_size], of a self-attention
  float* values = nullptr;           // [values_size], of a self-attention
};

// x [rows][padded(width)] = residual + W_o attention(W_q norm(x), keys).
void cross_attention(const AttentionLayer& layer, Residual residual, float* x, std::size_t rows, const Keys& keys,
                     float* scratch, const AttentionKept& kept = {});

// The same where norm(x) is at hand. Every row by itself: stretches of rows give the same bits as all of them.
void normal_attention(const AttentionLayer& layer, Residual residual, const float* normal, float* x, std::size_t rows,
                      const Keys& keys, float* scratch, const AttentionKept& kept = {});

// The same with keys and values made from norm(x) itself.
void self_attention(const AttentionLayer& layer, Residual residual, float* x, std::size_t rows, float* scratch,
                    const AttentionKept& kept = {});

}  // namespace cmanp::kernels

// The pre-norm attention sub-layer in relative coordinates, fused as attention_layer.hpp's is: norm, projections,
// turning by place, attention, turning back, output projection and residual, a few queries at a time. Training's
// forward is the same code, here, too.
#pragma once

#include "kernels/attention_layer.hpp"
#include "kernels/relative_attention.hpp"

namespace cmanp::kernels {

struct RelativeLayer {
  AttentionLayer layer;  // without keys' weights, which stand here:
  Linear key;            // context_width -> inner, so that keys come as rows, to be turned
  RelativeHeads relative;

  static RelativeLayer pack(AttentionLayer layer, RelativeHeads relative);

  std::size_t bytes() const { return layer.bytes() + key.bytes() + relative.bytes(); }

  // How far rows of keys and values are apart that are made once and read by many, and so many of them.
  static std::size_t key_stride(const Heads& heads) { return odd_panels(heads.inner()); }
  static std::size_t value_stride(const Heads& heads) { return odd_panels(heads.padded_inner()); }
  std::size_t keys_size(std::size_t count) const { return count * key_stride(layer.heads); }
  std::size_t values_size(std::size_t count) const { return count * value_stride(layer.heads); }

  // In floats: for queries, and besides for keys of its own.
  std::size_t cross_scratch(std::size_t keys) const;
  std::size_t self_scratch(std::size_t rows) const;
};

// Rows [count][ld] by where they lie: places [count][axes], and the turns of the layer's heads there.
struct PlacedRows {
  const float* places = nullptr;
  Turns turns;
  std::size_t count = 0;
};

// Turned keys [count][ldk], padded(inner) of them, and values [count][ldv], padded_inner, of normalised rows.
void relative_keys(const RelativeLayer& layer, const float* normal, std::size_t ld, const PlacedRows& rows, float* keys,
                   std::size_t ldk, float* values, std::size_t ldv);
// With the strides above.
void relative_keys(const RelativeLayer& layer, const float* normal, std::size_t ld, const PlacedRows& rows, float* keys,
                   float* values);

// Turned queries q [count][padded(inner)] of normalised rows [count][padded(width)].
void relative_queries(const RelativeLayer& layer, const float* normal, const PlacedRows& rows, float* q);

// x [rows][padded(width)] += W_o attended, attended [rows][padded_inner] = attention(q, keys), q as relative_queries
// gives them. Scratch is relative_attention_scratch(keys).
void attend_relative_and_add(const RelativeLayer& layer, const float* q, const PlacedRows& rows,
                             const RelativeKeys& keys, float* attended, float* x, float* scratch);

// x [rows][padded(width)] = residual + W_o attention(W_q norm(x), keys). Rows are dealt with sixteen at a time, from
// the first on: stretches that begin there give the same bits as all of them. What the output projection reads is kept
// in attended [rows][padded_inner], where that is given.
void relative_cross_attention(const RelativeLayer& layer, Residual residual, float* x, const PlacedRows& rows,
                              const RelativeKeys& keys, float* scratch, float* attended = nullptr);

// The same where norm(x) is at hand.
void relative_normal_attention(const RelativeLayer& layer, Residual residual, const float* normal, float* x,
                               const PlacedRows& rows, const RelativeKeys& keys, float* scratch,
                               float* attended = nullptr);

// The same with keys and values made from norm(x) itself.
void relative_self_attention(const RelativeLayer& layer, Residual residual, float* x, const float* places,
                             std::size_t rows, float* scratch);

}  // namespace cmanp::kernels

// The pre-norm attention sub-layer in relative coordinates, fused as attention_layer.hpp's is: norm, projections,
// turning by place, attention, turning back, output projection and residual, a few queries at a time.
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

  // In floats: for making keys and for queries, and besides for keys of its own.
  std::size_t keys_scratch() const;
  std::size_t cross_scratch(std::size_t keys) const;
  std::size_t self_scratch(std::size_t rows) const;
};

// Where rows lie.
struct Places {
  const float* rows = nullptr;     // [count][axes]
  const float* by_axis = nullptr;  // [axes][padded(count)]
  std::size_t count = 0;
};

// Turned keys and values of normalised rows [places.count][ld].
void relative_keys(const RelativeLayer& layer, const float* normal, std::size_t ld, const Places& places,
                   float* transposed, float* values, float* scratch);

// x [rows][padded(width)] = residual + W_o attention(W_q norm(x), keys); queries lie at places [rows][axes].
void relative_cross_attention(const RelativeLayer& layer, Residual residual, float* x, const float* places,
                              std::size_t rows, const RelativeKeys& keys, float* scratch);

// The same with keys and values made from norm(x) itself.
void relative_self_attention(const RelativeLayer& layer, Residual residual, float* x, const Places& places,
                             float* scratch);

}  // namespace cmanp::kernels

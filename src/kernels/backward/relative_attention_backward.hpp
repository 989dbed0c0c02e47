// The gradient of attention in relative coordinates, probabilities computed anew. Forward is relative_layer.hpp's.
// Heads lie on panels, as in attention_layer_backward.hpp.
#pragma once

#include <cstddef>

#include "kernels/backward/attention_layer_backward.hpp"
#include "kernels/relative_layer.hpp"

namespace cmanp::kernels {

struct RelativeGradient {
  Buffer<float> gamma;       // [heads]
  Buffer<float> omega;       // [axes][turns()]
  Buffer<float> null_score;  // [heads]
  Buffer<float> null_value;  // [heads][dim]

  explicit RelativeGradient(const RelativeHeads& relative);
};

// Keys and values of one task, turned.
struct RelativeKeySpace {
  float* keys;    // [rows][inner]
  float* values;  // [rows][inner]

  RelativeKeySpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor);

  // From context rows, already normalised.
  void make(const RelativeLayer& layer, const float* normal, const PlacedRows& rows) const;
  RelativeKeys view(const RelativeLayer& layer, const PlacedRows& rows) const;
};

// The same with what backward reads besides.
struct RelativeKeyBackwardSpace {
  RelativeKeySpace forward;
  float* keys_transposed;    // [panels(rows)][inner][16]
  float* values_transposed;  // [panels(rows)][inner][16]
  float* places_by_axis;     // [axes][padded(rows)]

  RelativeKeyBackwardSpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor);

  void make(const RelativeLayer& layer, const float* normal, const PlacedRows& rows) const;
};

// From the gradient of what was added to those of q (set), keys and values (set), before they were turned.
void relative_backward(const RelativeLayer& layer, const AttentionBackwardPack& back, const float* q,
                       const PlacedRows& rows, const RelativeKeyBackwardSpace& keys, const PlacedRows& key_rows,
                       const float* attended, const float* dy, const AttentionUp& up, AttentionGradient& gradient,
                       RelativeGradient& relative_gradient, float* scratch);
std::size_t relative_backward_scratch(const RelativeHeads& relative, std::size_t rows, std::size_t keys);  // in floats

}  // namespace cmanp::kernels

// The gradient of multi-head attention, probabilities computed anew: no score matrix is kept between forward and
// backward. Heads start on panels here in queries and keys too: Heads::dim is a multiple of 16, zeros behind the true
// size.
#pragma once

#include <cstddef>

#include "kernels/attention.hpp"

namespace cmanp::kernels {

// What backward reads besides the queries, all in somebody else's memory.
struct KeysBackward {
  const float* keys = nullptr;               // [count][inner]
  const float* keys_transposed = nullptr;    // [panels(count)][inner][16]
  const float* values_transposed = nullptr;  // [panels(count)][inner][16]
  std::size_t count = 0;
  const std::size_t* visible = nullptr;  // as in Keys
};

// Where the keys are one chunk of a longer context: what the whole of it came to, each [heads][rows].
struct WholeContext {
  const float* max = nullptr;   // the largest score
  const float* sum = nullptr;   // of exp(score - max)
  const float* mean = nullptr;  // the gradient `up` times attend's output, summed over a head's features
};

std::size_t attend_backward_scratch(std::size_t keys);  // in floats

// Given the gradient of attend's output, sets that of q [rows][inner] and adds to those of keys and values
// [count][inner]. All rows are [.][inner] without gaps. Of a chunk, q's gradient is the chunk's share.
void attend_backward(const Heads& heads, const float* q, std::size_t rows, const KeysBackward& keys, const float* up,
                     float* dq, float* dkeys, float* dvalues, float* scratch, const WholeContext* whole = nullptr);

}  // namespace cmanp::kernels

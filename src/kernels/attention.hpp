// Multi-head attention over a set of keys, without a stored score matrix: a few queries at a time, their scores in the
// first-level cache.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/panel.hpp"

namespace cmanp::kernels {

struct Heads {
  std::size_t count = 1;
  std::size_t dim = 1;

  constexpr std::size_t inner() const { return count * dim; }  // width of queries and keys
  constexpr std::size_t padded_inner() const {
    return count * padded(dim);
  }  // width of values and outputs: heads on panels
};

// Keys and values in somebody else's memory.
struct Keys {
  const float* transposed = nullptr;  // [panels(count)][inner][16]
  const float* values = nullptr;      // [count][padded_inner]
  std::size_t count = 0;
  const std::size_t* visible = nullptr;  // by query: it sees so many of the first keys, one at least; null: all
};

// How many keys some of `rows` queries sees, from the first on.
constexpr std::size_t most_visible(const std::size_t* visible, std::size_t rows, std::size_t count) {
  return visible == nullptr ? count : *std::max_element(visible, visible + rows);
}

constexpr std::size_t keys_size(const Heads& heads, std::size_t count) { return heads.inner() * padded(count); }
constexpr std::size_t values_size(const Heads& heads, std::size_t count) { return heads.padded_inner() * count; }

// Scores of a tile of queries: the scratch that both functions below need, in floats.
std::size_t attention_scratch(std::size_t keys);

// out [rows][padded_inner] = softmax(q k) v per head; q [rows][inner], already scaled. No keys give zeros.
void attend(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys, float* out,
            std::size_t ldo, float* scratch);

// The same before the division: for each head and query the largest score, the sum of exp(score - largest) and the sum
// of exp(score - largest) * value: max [heads][rows], sum [heads][rows], weighted [heads][rows][padded(dim)].
// Needs one key at least.
void attend_unnormalised(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys,
                         float* max, float* sum, float* weighted, float* scratch);

}  // namespace cmanp::kernels

// From a chunk of raw points to what they do to each block: embedded once, attended by every block's latents.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/attention_state.hpp"
#include "kernels/cursor.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

// b_C: points folded at once. Large enough for matrix products, small enough for the second-level cache.
inline constexpr std::size_t kChunk = 128;

// For so many tokens.
struct TokenSpace {
  float* embedded;    // [count][padded(d)]
  float* panels;      // [panels(count)][d][16]
  float* transposed;  // keys of one block
  float* values;
  float* scores;

  TokenSpace(const Weights& weights, std::size_t count, kernels::Cursor& cursor);
};

// chunks[block] = the triple of the tokens in space.embedded (at least one), which are normalised there.
void attend_tokens(const Weights& weights, std::size_t count, const TokenSpace& space,
                   std::vector<kernels::AttentionChunk>& chunks);

struct AbsorbSpace {
  float* features;  // [kChunk][padded(in)]
  float* mlp;
  TokenSpace tokens;

  AbsorbSpace(const Weights& weights, kernels::Cursor& cursor);
};

// chunks[block] = the triple of points x, y (at least one, at most kChunk).
void summarise(const Weights& weights, const double* x, const double* y, std::size_t count, const AbsorbSpace& space,
               std::vector<kernels::AttentionChunk>& chunks);

}  // namespace cmanp::runtime

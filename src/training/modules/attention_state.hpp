// What a context has done to a cross-attention with fixed queries, in plain libtorch: per head and latent the largest
// score, the sum of exp(score - max) and the sum of exp(score - max) * value. Chunks merge in any order; nothing read
// was lost, and memory does not grow. Sums are kept in double: in float they stop growing after 10^7 points.
#pragma once

#include <torch/torch.h>

#include "training/modules/p_attention.hpp"

namespace cmanp::training {

struct AttentionState {
  torch::Tensor max;       // [B, H, L, 1]; undefined before the first point
  torch::Tensor sum;       // [B, H, L, 1]
  torch::Tensor weighted;  // [B, H, L, h]

  bool empty() const { return !max.defined(); }
};

// Takes in a chunk: queries [1 or B, H, L, h] (scaled), keys and values [B, H, m, h]; scores are less by `penalty`
// [1 or B, H, L, m], where it is defined.
AttentionState absorb(const AttentionState& state, const torch::Tensor& queries, const KeysValues& chunk,
                      const torch::Tensor& penalty = {});

// The state after the contexts of both.
AttentionState merge(const AttentionState& a, const AttentionState& b);

// The attended values, in the type of `like`; zeros where nothing was absorbed.
torch::Tensor read(const AttentionState& state, const torch::Tensor& like);

torch::Tensor log_normaliser(const AttentionState& state);  // [B, H, L, 1]

}  // namespace cmanp::training

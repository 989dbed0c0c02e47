// The pre-norm attention sub-layer in relative coordinates as an autograd node over the kernels, parallel over tasks.
#pragma once

#include "training/fused/attention.hpp"

namespace cmanp::training::fused {

struct RelativeParameters {
  AttentionParameters attention;  // of tokens of one width; the context's norm where there is a context
  torch::Tensor gamma;            // [H]
  torch::Tensor omega;            // [H, h / 2, dim_x]
  torch::Tensor null_score;       // [H], or undefined
  torch::Tensor null_value;       // [H, h], or undefined
};

// x [B, n, width] at places [B or 1, n, dim_x] attends to context [B, m, width] at its places, or to itself where the
// context is undefined. x [1, n, width] at places [1, n, dim_x] are the same queries in every task, projected once.
// Places have no gradient.
torch::Tensor relative_attention(const torch::Tensor& x, const torch::Tensor& places, const torch::Tensor& context,
                                 const torch::Tensor& context_places, const RelativeParameters& parameters,
                                 Residual residual);

}  // namespace cmanp::training::fused

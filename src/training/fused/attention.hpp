// The pre-norm attention sub-layers as autograd nodes over the kernels, parallel over tasks.
#pragma once

#include <torch/torch.h>

#include <cmanp/residual.hpp>

namespace cmanp::training::fused {

struct AttentionParameters {
  torch::Tensor norm_weight, norm_bias;                  // [width]
  torch::Tensor context_norm_weight, context_norm_bias;  // [context_width]; of a cross-attention only
  torch::Tensor query;                                   // [inner, width]
  torch::Tensor key_value;                               // [2 inner, context_width]
  torch::Tensor output, output_bias;                     // [width, inner], [width]
};

// x [B, n, width]
torch::Tensor self_attention(const torch::Tensor& x, const AttentionParameters& parameters, std::int64_t heads,
                             Residual residual);

// x [B, n, width], or [1, n, width] for the same queries in every task, which are then projected once;
// context [B, m, context_width].
torch::Tensor cross_attention(const torch::Tensor& x, const torch::Tensor& context,
                              const AttentionParameters& parameters, std::int64_t heads, Residual residual);

}  // namespace cmanp::training::fused

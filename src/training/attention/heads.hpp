// Attention heads: contiguous slices of a token's features.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

// [..., n, heads * h] to [..., heads, n, h]
inline torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads) {
  return x.unflatten(-1, {heads, x.size(-1) / heads}).transpose(-3, -2);
}

// [..., heads, n, h] to [..., n, heads * h]
inline torch::Tensor join_heads(const torch::Tensor& x) { return x.transpose(-3, -2).flatten(-2); }

}  // namespace cmanp::training

// Softmax attention of all heads.
#pragma once

#include <torch/torch.h>

namespace cmanp::training {

// softmax(q k^T) v of every head, and heads joined again: q [..., heads, n, h] is scaled already. Query i
// sees the first visible[i] keys, one at least, where `visible` [n] (int64) is defined.
torch::Tensor attend(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                     const torch::Tensor& visible = {});

}  // namespace cmanp::training

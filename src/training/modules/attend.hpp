// Softmax attention of all heads.
#pragma once

#include <torch/torch.h>

namespace cmanp::training {

// softmax(q k^T) v of every head, and heads joined again: q [..., heads, n, h] is scaled already; not where `hidden`
// [n, m], if defined, is true.
torch::Tensor attend(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                     const torch::Tensor& hidden = {});

}  // namespace cmanp::training

// Softmax attention by itself as an autograd node over the kernels: no score matrix is stored, parallel over tasks. For
// the models whose projections, norms and residuals are not the pre-norm sub-layer's.
#pragma once

#include <torch/torch.h>

namespace cmanp::training::fused {

// Whether it can run, and is worth it: floats on a CPU, heads on whole panels, more than a few queries.
bool softmax_attention_runs(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v);

// q [..., H, n, h], already scaled, attends to k and v [..., H, m, h]; all leading axes alike. Query i sees the first
// visible[i] keys, one at least, where `visible` [n] (int64) is defined. Returns [..., n, H * h].
torch::Tensor softmax_attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                const torch::Tensor& visible = {});

}  // namespace cmanp::training::fused

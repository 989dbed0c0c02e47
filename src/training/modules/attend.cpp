#include "training/modules/attend.hpp"

#include <limits>

#include "training/attention/heads.hpp"
#include "training/fused/softmax_attention.hpp"

namespace cmanp::training {

torch::Tensor attend(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                     const torch::Tensor& visible) {
  if (fused::softmax_attention_runs(q, k, v)) return fused::softmax_attention(q, k, v, visible);
  torch::Tensor scores = torch::matmul(q, k.transpose(-2, -1));
  if (visible.defined()) {
    const torch::Tensor hidden = torch::arange(k.size(-2), visible.options()) >= visible.unsqueeze(-1);  // [n, m]
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  }
  return join_heads(torch::matmul(torch::softmax(scores, -1), v));
}

}  // namespace cmanp::training

// The attention of CANP, ANP and BANP: eight heads, scores divided by the root of the whole width, the projected query
// as residual, post-norm.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

class BnpAttention : public torch::nn::Module {
 public:
  explicit BnpAttention(std::int64_t width);

  // Leading axes are free: [..., n, width] attends to [..., m, width].
  torch::Tensor forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v);
  torch::Tensor forward(const torch::Tensor& x) { return forward(x, x, x); }

 private:
  torch::nn::Linear fc_q_{nullptr}, fc_k_{nullptr}, fc_v_{nullptr}, fc_out_{nullptr};
  torch::nn::LayerNorm ln1_{nullptr}, ln2_{nullptr};
};

}  // namespace cmanp::training

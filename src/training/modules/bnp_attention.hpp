// The attention of CANP, ANP and BANP: eight heads, scores divided by the root of the whole width, the projected query
// as residual, post-norm.
#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "training/modules/p_attention.hpp"

namespace cmanp::training {

class BnpAttention : public torch::nn::Module {
 public:
  explicit BnpAttention(std::int64_t width);

  // Leading axes are free: [..., n, width] attends to [..., m, width].
  torch::Tensor forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v);
  torch::Tensor forward(const torch::Tensor& x) { return forward(x, x, x); }

  // The same in parts, for a context that grows.
  torch::Tensor queries(const torch::Tensor& q);                                      // projected, [..., n, width]
  static torch::Tensor heads_of(const torch::Tensor& queries);                        // [..., H, n, h], scaled
  KeysValues keys_values(const torch::Tensor& k, const torch::Tensor& v);             // [..., H, m, h]
  torch::Tensor output(const torch::Tensor& queries, const torch::Tensor& attended);  // both [..., n, width]

 private:
  torch::nn::Linear fc_q_{nullptr}, fc_k_{nullptr}, fc_v_{nullptr}, fc_out_{nullptr};
  torch::nn::LayerNorm ln1_{nullptr}, ln2_{nullptr};
};

}  // namespace cmanp::training

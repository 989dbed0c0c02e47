// What a context says about each target: targets attend to the context by their inputs.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/modules/bnp_attention.hpp"
#include "training/modules/growing_attention.hpp"
#include "training/modules/growing_context.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::training {

class CrossAttentionEncoder : public torch::nn::Module, public GrowingContext {
 public:
  CrossAttentionEncoder(std::int64_t dim_x, std::int64_t dim_y, std::int64_t hidden, std::int64_t v_depth,
                        std::int64_t qk_depth);

  // [..., N, ·] and [..., n, dim_x] to [..., n, hidden]
  torch::Tensor forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt);

 private:
  torch::Tensor forward_growing(const torch::Tensor& xc, const torch::Tensor& points, const torch::Tensor& xt);

  std::shared_ptr<Mlp> net_v_, net_qk_;
  std::shared_ptr<BnpAttention> self_attn_, attn_;
  GrowingAttention growing_;
  torch::Tensor keys_;  // of the kept points
};

}  // namespace cmanp::training

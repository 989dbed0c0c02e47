#include "training/modules/cross_attention_encoder.hpp"

namespace cmanp::training {

CrossAttentionEncoder::CrossAttentionEncoder(std::int64_t dim_x, std::int64_t dim_y, std::int64_t hidden,
                                             std::int64_t v_depth, std::int64_t qk_depth) {
  net_v_ = register_module("net_v", std::make_shared<Mlp>(dim_x + dim_y, hidden, hidden, v_depth - 2));
  self_attn_ = register_module("self_attn", std::make_shared<BnpAttention>(hidden));
  net_qk_ = register_module("net_qk", std::make_shared<Mlp>(dim_x, hidden, hidden, qk_depth));
  attn_ = register_module("attn", std::make_shared<BnpAttention>(hidden));
}

torch::Tensor CrossAttentionEncoder::forward(const torch::Tensor& xc, const torch::Tensor& yc,
                                             const torch::Tensor& xt) {
  const torch::Tensor values = self_attn_->forward(net_v_->forward(torch::cat({xc, yc}, -1)));
  return attn_->forward(net_qk_->forward(xt), net_qk_->forward(xc), values);
}

}  // namespace cmanp::training

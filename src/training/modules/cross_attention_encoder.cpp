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
  const torch::Tensor points = torch::cat({xc, yc}, -1);
  if (keeps(points)) return forward_growing(xc, points, xt);
  const torch::Tensor values = self_attn_->forward(net_v_->forward(points));
  return attn_->forward(net_qk_->forward(xt), net_qk_->forward(xc), values);
}

torch::Tensor CrossAttentionEncoder::forward_growing(const torch::Tensor& xc, const torch::Tensor& points,
                                                     const torch::Tensor& xt) {
  const std::int64_t known = known_of(points);
  const auto added = [&](const torch::Tensor& rows) { return rows.narrow(-2, known, rows.size(-2) - known); };
  const torch::Tensor values = growing_.forward(*self_attn_, net_v_->forward(added(points)), known);
  if (known == 0) keys_ = torch::Tensor();
  keys_ = append_rows(keys_, net_qk_->forward(added(xc)));
  return attn_->forward(net_qk_->forward(xt), keys_, values);
}

}  // namespace cmanp::training

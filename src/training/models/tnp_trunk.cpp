#include "training/models/tnp_trunk.hpp"

namespace cmanp::training {

TnpTrunk::TnpTrunk(torch::nn::Module& owner, const ModelConfig& config) : dim_y_(config.dim_y) {
  const std::int64_t d = config.d_model;
  embedder_ =
      owner.register_module("embedder", std::make_shared<Mlp>(config.dim_x + config.dim_y, d, d, config.emb_depth));
  encoder_ = owner.register_module(
      "encoder", std::make_shared<TransformerEncoder>(TransformerShape{d, config.nhead, config.dim_feedforward},
                                                      config.num_layers));
}

torch::Tensor TnpTrunk::embed(const torch::Tensor& x, const torch::Tensor& y) const {
  return embedder_->forward(torch::cat({x, y}, -1));
}

torch::Tensor TnpTrunk::embed(const torch::Tensor& x) const {
  return embed(x, torch::zeros({x.size(0), x.size(1), dim_y_}, x.options()));
}

torch::Tensor TnpTrunk::encode_all(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return encoder_->forward(torch::cat({embed(xc, yc), embed(xt)}, 1), xc.size(1));
}

torch::Tensor TnpTrunk::encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode) {
  return encode_all(xc, yc, xt).narrow(1, xc.size(1), xt.size(1));
}

}  // namespace cmanp::training

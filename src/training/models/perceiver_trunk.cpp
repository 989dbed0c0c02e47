#include "training/models/perceiver_trunk.hpp"

#include <cmath>
#include <numbers>

namespace cmanp::training {

torch::Tensor position_features(const torch::Tensor& x, std::int64_t fourier_features) {
  std::vector<torch::Tensor> parts{x};
  for (std::int64_t k = 0; k < fourier_features; ++k) {
    const torch::Tensor angle = x * std::ldexp(std::numbers::pi / 4, static_cast<int>(k));
    parts.push_back(angle.sin());
    parts.push_back(angle.cos());
  }
  return parts.size() == 1 ? x : torch::cat(parts, -1);
}

SubLayerShape sub_layer_shape(const ModelConfig& config) {
  return {config.d_model, config.nhead, config.dim_feedforward, config.residual};
}

PerceiverTrunk::PerceiverTrunk(torch::nn::Module& owner, const ModelConfig& config, std::int64_t encoding_width)
    : config_(config) {
  const std::int64_t d = config.d_model, in = config.features_x();
  embedder_ = owner.register_module("embedder", std::make_shared<Mlp>(in + config.dim_y, d, d, config.emb_depth));
  query_embedder_ = owner.register_module("query_embedder", std::make_shared<Mlp>(in, d, d, config.emb_depth));
  decoder_ = owner.register_module(
      "decoder", std::make_shared<QueryDecoder>(encoding_width, sub_layer_shape(config), config.num_layers));
  norm_ = owner.register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({d})));
}

torch::Tensor PerceiverTrunk::embed(const torch::Tensor& x, const torch::Tensor& y) const { return embedding()(x, y); }

PerceiverTrunk::Embedding PerceiverTrunk::embedding() const {
  return [embedder = embedder_, count = config_.fourier_features](const torch::Tensor& x, const torch::Tensor& y) {
    return embedder->forward(torch::cat({position_features(x, count), y}, -1));
  };
}

torch::Tensor PerceiverTrunk::decode(const torch::Tensor& xt, const std::vector<torch::Tensor>& encodings) const {
  torch::nn::LayerNorm norm = norm_;  // a handle; calling it is not const
  return norm(decoder_->forward(query_embedder_->forward(position_features(xt, config_.fourier_features)), encodings));
}

torch::Tensor PerceiverTrunk::encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                     Mode mode) {
  return decode(xt, encode_context(xc, yc, mode));
}

EqtnpTrunk::EqtnpTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : PerceiverTrunk(owner, config, config.d_model) {
  // One layer less than the decoder has: its first reads the embeddings themselves.
  encoder_ = owner.register_module("encoder",
                                   std::make_shared<ContextEncoder>(sub_layer_shape(config), config.num_layers - 1));
}

std::vector<torch::Tensor> EqtnpTrunk::encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode) {
  return encoder_->forward(embed(xc, yc));
}

LbanpTrunk::LbanpTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : PerceiverTrunk(owner, config, config.d_model) {
  latents_ = owner.register_parameter("latents", torch::zeros({config.num_latents, config.d_model}));
  encoder_ = owner.register_module(
      "encoder", std::make_shared<LatentEncoder>(config.d_model, sub_layer_shape(config), config.num_layers));
}

std::vector<torch::Tensor> LbanpTrunk::encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode) {
  return encoder_->forward(latents_.expand({xc.size(0), -1, -1}), embed(xc, yc));
}

}  // namespace cmanp::training

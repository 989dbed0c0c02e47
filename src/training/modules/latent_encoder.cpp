#include "training/modules/latent_encoder.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

LatentEncoderLayer::LatentEncoderLayer(std::int64_t width, const SubLayerShape& shape) {
  cross_attn_ = register_module("cross_attn", std::make_shared<PreNormAttention>(width, shape.inner, shape));
  cross_ff_ = register_module("cross_ff", std::make_shared<PreNormFeedForward>(width, shape));
  latent_self_attn_ = register_module("latent_self_attn", std::make_shared<PreNormAttention>(width, shape));
  latent_ff_ = register_module("latent_ff", std::make_shared<PreNormFeedForward>(width, shape));
}

torch::Tensor LatentEncoderLayer::forward(torch::Tensor latents, const torch::Tensor& context) {
  latents = cross_ff_->forward(cross_attn_->forward(latents, context));
  return latent_ff_->forward(latent_self_attn_->forward(latents));
}

LatentEncoder::LatentEncoder(std::int64_t width, const SubLayerShape& shape, std::int64_t layers)
    : layers_(register_layers<LatentEncoderLayer>(*this, layers, width, shape)) {}

std::vector<torch::Tensor> LatentEncoder::forward(torch::Tensor latents, const torch::Tensor& context) {
  std::vector<torch::Tensor> all;
  for (const auto& layer : layers_) all.push_back(latents = layer->forward(latents, context));
  return all;
}

}  // namespace cmanp::training

#include "training/modules/relative_latent_encoder.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

using torch::Tensor;

RelativeLatentEncoderLayer::RelativeLatentEncoderLayer(const RelativeShape& shape) {
  const auto attention = [&](const char* name, Attends attends) {
    return register_module(name, std::make_shared<RelativeAttention>(shape, attends));
  };
  const auto feed_forward = [&](const char* name) {
    return register_module(name, std::make_shared<PreNormFeedForward>(shape.layer.inner, shape.layer));
  };
  cross_attn_ = attention("cross_attn", Attends::to_context);
  cross_ff_ = feed_forward("cross_ff");
  latent_self_attn_ = attention("latent_self_attn", Attends::to_itself);
  latent_ff_ = feed_forward("latent_ff");
}

Tensor RelativeLatentEncoderLayer::forward(Tensor latents, const Tensor& grid, const Tensor& context,
                                           const Tensor& places) {
  latents = cross_ff_->forward(cross_attn_->forward(latents, grid, context, places));
  return latent_ff_->forward(latent_self_attn_->forward(latents, grid));
}

RelativeLatentEncoder::RelativeLatentEncoder(const RelativeShape& shape, std::int64_t layers)
    : layers_(register_layers<RelativeLatentEncoderLayer>(*this, layers, shape)) {}

std::vector<Tensor> RelativeLatentEncoder::forward(Tensor latents, const Tensor& grid, const Tensor& context,
                                                   const Tensor& places) {
  std::vector<Tensor> all;
  for (const auto& layer : layers_) all.push_back(latents = layer->forward(latents, grid, context, places));
  return all;
}

}  // namespace cmanp::training

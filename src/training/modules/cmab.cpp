#include "training/modules/cmab.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

Cmab::Cmab(const CmabShape& shape) {
  const std::int64_t own = shape.width, input = shape.input_width;
  const auto attention = [&](const char* name, std::int64_t width) {
    return register_module(name, std::make_shared<PreNormAttention>(width, shape.layer));
  };
  const auto cross_attention = [&](const char* name, std::int64_t width, std::int64_t context) {
    return register_module(name, std::make_shared<PreNormAttention>(width, context, shape.layer));
  };
  const auto feed_forward = [&](const char* name, std::int64_t width) {
    return register_module(name, std::make_shared<PreNormFeedForward>(width, shape.layer));
  };
  latents_ = register_parameter("latents", torch::zeros({shape.latents, own}));
  layer_cross_attn_ = cross_attention("layer_cross_attn", own, shape.layer.inner);
  layer_cross_ff_ = feed_forward("layer_cross_ff", own);
  layer_latent_self_attn_ = attention("layer_latent_self_attn", own);
  layer_latent_ff_ = feed_forward("layer_latent_ff", own);
  cross_attn_ = cross_attention("cross_attn", input, own);
  cross_ff_ = feed_forward("cross_ff", input);
  latent_self_attn_ = attention("latent_self_attn", input);
  latent_ff_ = feed_forward("latent_ff", input);
}

torch::Tensor Cmab::forward(const torch::Tensor& input_latents, const torch::Tensor& context) {
  return rest(input_latents, layer_cross_attn_->forward(own_latents(), context));
}

AttentionState Cmab::absorb(const AttentionState& state, const torch::Tensor& chunk) {
  return training::absorb(state, layer_cross_attn_->queries(own_latents()), layer_cross_attn_->keys_values(chunk));
}

torch::Tensor Cmab::forward(const torch::Tensor& input_latents, const AttentionState& state) {
  return finish(input_latents, read(state, layer_cross_attn_->queries(own_latents())));
}

torch::Tensor Cmab::finish(const torch::Tensor& input_latents, const torch::Tensor& attended) {
  return rest(input_latents, layer_cross_attn_->finish(own_latents(), attended));
}

torch::Tensor Cmab::rest(const torch::Tensor& input_latents, torch::Tensor own) {
  own = layer_cross_ff_->forward(own);
  own = layer_latent_self_attn_->forward(own);
  own = layer_latent_ff_->forward(own);
  torch::Tensor latents = cross_attn_->forward(input_latents, own);
  latents = cross_ff_->forward(latents);
  latents = latent_self_attn_->forward(latents);
  return latent_ff_->forward(latents);
}

CmabEncoder::CmabEncoder(const CmabShape& shape, std::int64_t blocks)
    : blocks_(register_layers<Cmab>(*this, blocks, shape)) {}

std::vector<torch::Tensor> CmabEncoder::forward(torch::Tensor latents, const torch::Tensor& context) {
  std::vector<torch::Tensor> all;
  for (const auto& block : blocks_) all.push_back(latents = block->forward(latents, context));
  return all;
}

std::vector<torch::Tensor> CmabEncoder::forward(torch::Tensor latents, const State& state) {
  std::vector<torch::Tensor> all;
  for (std::size_t i = 0; i < blocks_.size(); ++i) all.push_back(latents = blocks_[i]->forward(latents, state[i]));
  return all;
}

std::vector<torch::Tensor> CmabEncoder::forward(torch::Tensor latents, const ContextStream& context) {
  std::vector<std::shared_ptr<StreamedBlock>> streamed;
  for (const auto& block : blocks_) streamed.push_back(block->streamed());
  const std::vector<torch::Tensor> attended = attend(context, streamed);
  std::vector<torch::Tensor> all;
  for (std::size_t i = 0; i < blocks_.size(); ++i) all.push_back(latents = blocks_[i]->finish(latents, attended[i]));
  return all;
}

void CmabEncoder::absorb(State& state, const torch::Tensor& chunk) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) state[i] = blocks_[i]->absorb(state[i], chunk);
}

}  // namespace cmanp::training

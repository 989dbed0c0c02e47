#include "training/models/cmanp_trunk.hpp"

namespace cmanp::training {

CmanpTrunk::CmanpTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : PerceiverTrunk(owner, config, config.latent_width()) {
  latents_ = owner.register_parameter("latents", torch::zeros({config.num_latents, config.latent_width()}));
  const CmabShape shape{sub_layer_shape(config), config.num_latents_per_layer, config.layer_latent_width(),
                        config.latent_width()};
  encoder_ = owner.register_module("encoder", std::make_shared<CmabEncoder>(shape, config.num_layers));
}

void CmanpTrunk::absorb(State& state, const torch::Tensor& x, const torch::Tensor& y) {
  encoder_->absorb(state, embed(x, y));
}

std::vector<torch::Tensor> CmanpTrunk::latents(const State& state, std::int64_t tasks) {
  return encoder_->forward(input_latents(tasks), state);
}

std::vector<torch::Tensor> CmanpTrunk::encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) {
  if (mode == Mode::training) {
    const torch::Tensor latents = input_latents(xc.size(0));
    const std::int64_t chunk = config().context_chunk;
    if (chunk == 0 || xc.size(1) <= chunk) return encoder_->forward(latents, embed(xc, yc));
    return encoder_->forward(latents, ContextStream{xc, yc, chunk, embedding(), embedding_parameters()});
  }
  State state = empty_state();
  observe(state, xc, yc, config().CMAB_block_size);
  return latents(state, xc.size(0));
}

}  // namespace cmanp::training

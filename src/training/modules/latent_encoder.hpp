// LBANP's encoder: latents read the same context embeddings in every layer. Keeps what each layer answers.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "training/modules/pre_norm.hpp"

namespace cmanp::training {

class LatentEncoderLayer : public torch::nn::Module {
 public:
  LatentEncoderLayer(std::int64_t width, const SubLayerShape& shape);

  torch::Tensor forward(torch::Tensor latents, const torch::Tensor& context);

 private:
  std::shared_ptr<PreNormAttention> latent_self_attn_, cross_attn_;
  std::shared_ptr<PreNormFeedForward> latent_ff_, cross_ff_;
};

class LatentEncoder : public torch::nn::Module {
 public:
  LatentEncoder(std::int64_t width, const SubLayerShape& shape, std::int64_t layers);

  // latents [B, L, width], context [B, N, d_model]; the latents after each layer.
  std::vector<torch::Tensor> forward(torch::Tensor latents, const torch::Tensor& context);

 private:
  std::vector<std::shared_ptr<LatentEncoderLayer>> layers_;
};

}  // namespace cmanp::training

// LBANP's encoder in relative coordinates: latents at the places of a grid read the context, then each other. Else as
// LatentEncoder, with the same parts and names.
#pragma once

#include <memory>
#include <vector>

#include "training/modules/relative_attention.hpp"

namespace cmanp::training {

class RelativeLatentEncoderLayer : public torch::nn::Module {
 public:
  explicit RelativeLatentEncoderLayer(const RelativeShape& shape);

  torch::Tensor forward(torch::Tensor latents, const torch::Tensor& grid, const torch::Tensor& context,
                        const torch::Tensor& places);

 private:
  std::shared_ptr<RelativeAttention> latent_self_attn_, cross_attn_;
  std::shared_ptr<PreNormFeedForward> latent_ff_, cross_ff_;
};

class RelativeLatentEncoder : public torch::nn::Module {
 public:
  RelativeLatentEncoder(const RelativeShape& shape, std::int64_t layers);

  // What every layer makes of latents [B, L, width] at grid [1, L, dim_x]; context [B, N, width] at its places.
  std::vector<torch::Tensor> forward(torch::Tensor latents, const torch::Tensor& grid, const torch::Tensor& context,
                                     const torch::Tensor& places);

 private:
  std::vector<std::shared_ptr<RelativeLatentEncoderLayer>> layers_;
};

}  // namespace cmanp::training

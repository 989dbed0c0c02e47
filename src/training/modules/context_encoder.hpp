// EQTNP's encoder: self-attention among all context points. Keeps the embeddings and what each layer answers.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "training/modules/pre_norm.hpp"

namespace cmanp::training {

class ContextEncoderLayer : public torch::nn::Module {
 public:
  explicit ContextEncoderLayer(const SubLayerShape& shape);

  torch::Tensor forward(const torch::Tensor& context);

 private:
  std::shared_ptr<PreNormAttention> dataset_self_attn_;
  std::shared_ptr<PreNormFeedForward> ff_;
};

class ContextEncoder : public torch::nn::Module {
 public:
  ContextEncoder(const SubLayerShape& shape, std::int64_t layers);

  // [B, N, d_model]: the embeddings themselves, then those after each layer.
  std::vector<torch::Tensor> forward(const torch::Tensor& context);

 private:
  std::vector<std::shared_ptr<ContextEncoderLayer>> layers_;
};

}  // namespace cmanp::training

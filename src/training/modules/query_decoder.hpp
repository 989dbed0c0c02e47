// The query side of EQTNP, LBANP and CMANP: layer i attends to what the encoder's layer i left. Targets do not see each
// other.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "training/modules/pre_norm.hpp"

namespace cmanp::training {

class QueryDecoderLayer : public torch::nn::Module {
 public:
  QueryDecoderLayer(std::int64_t encoding_width, const SubLayerShape& shape);

  torch::Tensor forward(const torch::Tensor& queries, const torch::Tensor& encoding);

 private:
  std::shared_ptr<PreNormAttention> cross_attn_;
  std::shared_ptr<PreNormFeedForward> cross_ff_;
};

class QueryDecoder : public torch::nn::Module {
 public:
  QueryDecoder(std::int64_t encoding_width, const SubLayerShape& shape, std::int64_t layers);

  // queries [B, M, d_model]; one encoding [B, ·, encoding_width] a layer.
  torch::Tensor forward(torch::Tensor queries, const std::vector<torch::Tensor>& encodings);

 private:
  std::vector<std::shared_ptr<QueryDecoderLayer>> layers_;
};

}  // namespace cmanp::training

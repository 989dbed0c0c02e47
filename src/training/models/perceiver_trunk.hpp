// EQTNP and LBANP: targets are embedded by themselves and read, layer by layer, what an encoder made of the context.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "training/models/trunk.hpp"
#include "training/modules/context_encoder.hpp"
#include "training/modules/latent_encoder.hpp"
#include "training/modules/mlp.hpp"
#include "training/modules/query_decoder.hpp"

namespace cmanp::training {

SubLayerShape sub_layer_shape(const ModelConfig& config);

// x, and sines and cosines of 2^k pi/4 x beside it, k < fourier_features.
torch::Tensor position_features(const torch::Tensor& x, std::int64_t fourier_features);

// What EQTNP, LBANP and CMANP share: embedders and the query side.
class PerceiverTrunk : public Trunk {
 public:
  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;
  bool accepts_empty_context() const override { return true; }

  torch::Tensor embed(const torch::Tensor& x, const torch::Tensor& y) const override;
  torch::Tensor decode(const torch::Tensor& xt, const std::vector<torch::Tensor>& encodings) const;

  // One encoding a decoder layer.
  virtual std::vector<torch::Tensor> encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) = 0;

 protected:
  PerceiverTrunk(torch::nn::Module& owner, const ModelConfig& config, std::int64_t encoding_width);

  const ModelConfig& config() const { return config_; }

  // `embed` as a function that outlives the trunk, and the parameters that it reads.
  using Embedding = std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)>;
  Embedding embedding() const;
  std::vector<torch::Tensor> embedding_parameters() const { return embedder_->parameters(); }

 private:
  const ModelConfig& config_;
  std::shared_ptr<Mlp> embedder_, query_embedder_;
  std::shared_ptr<QueryDecoder> decoder_;
  torch::nn::LayerNorm norm_{nullptr};
};

class EqtnpTrunk : public PerceiverTrunk {
 public:
  EqtnpTrunk(torch::nn::Module& owner, const ModelConfig& config);

 private:
  std::vector<torch::Tensor> encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) override;

  std::shared_ptr<ContextEncoder> encoder_;
};

class LbanpTrunk : public PerceiverTrunk {
 public:
  LbanpTrunk(torch::nn::Module& owner, const ModelConfig& config);

 private:
  std::vector<torch::Tensor> encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) override;

  torch::Tensor latents_;  // [num_latents, d_model]
  std::shared_ptr<LatentEncoder> encoder_;
};

}  // namespace cmanp::training

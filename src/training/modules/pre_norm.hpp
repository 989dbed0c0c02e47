// The sub-layers that EQTNP, LBANP and CMANP are made of: attention or feed-forward behind a layer norm, with a
// residual around both. The plain forms here are the definitions; where the fused kernels can run (training/fused),
// they do, unless fused::Off says otherwise.
#pragma once

#include <torch/torch.h>

#include <cmanp/config.hpp>
#include <cstdint>
#include <memory>

#include "training/fused/attention.hpp"
#include "training/modules/geglu.hpp"
#include "training/modules/p_attention.hpp"
#include "training/modules/streamed_block.hpp"

namespace cmanp::training {

// What all sub-layers of a model have in common.
struct SubLayerShape {
  std::int64_t inner;   // d_model: features of all heads together
  std::int64_t heads;   // nhead
  std::int64_t hidden;  // dim_feedforward
  Residual residual;    // what the result is added to: the normalised input, as published, or the input
};

class PreNormAttention : public torch::nn::Module {
 public:
  PreNormAttention(std::int64_t width, const SubLayerShape& shape);                              // self-attention
  PreNormAttention(std::int64_t width, std::int64_t context_width, const SubLayerShape& shape);  // cross-attention

  torch::Tensor forward(const torch::Tensor& x);                                // [B, n, width]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& context);  // and [B, m, context_width]

  // The same in parts, for a context that comes in pieces.
  torch::Tensor queries(const torch::Tensor& x);                                   // [B, H, n, h]
  KeysValues keys_values(const torch::Tensor& context);                            // [B, H, m, h]
  torch::Tensor finish(const torch::Tensor& x, const torch::Tensor& head_values);  // attended values to the result

  // The first two of these as parts of an autograd node, for a context too long to be held as tokens; x [1, n, width].
  std::shared_ptr<StreamedBlock> streamed(const torch::Tensor& x);

 private:
  fused::AttentionParameters fused_parameters() const;

  Residual residual_;
  std::shared_ptr<PAttention> fn_;
  torch::nn::LayerNorm norm_{nullptr}, norm_context_{nullptr};  // the latter of a cross-attention only
};

class PreNormFeedForward : public torch::nn::Module {
 public:
  PreNormFeedForward(std::int64_t width, const SubLayerShape& shape);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  Residual residual_;
  std::shared_ptr<GegluFeedForward> fn_;
  torch::nn::LayerNorm norm_{nullptr};
};

}  // namespace cmanp::training

#include "training/modules/transformer.hpp"

#include <cmath>

#include "training/attention/heads.hpp"
#include "training/fused/transformer_layer.hpp"
#include "training/modules/attend.hpp"
#include "training/modules/layer_list.hpp"
#include "training/modules/linears.hpp"

namespace cmanp::training {

using torch::nn::Linear;

PackedAttention::PackedAttention(std::int64_t width, std::int64_t heads) : heads_(heads) {
  in_proj_weight_ = register_parameter("in_proj_weight", torch::zeros({3 * width, width}));
  in_proj_bias_ = register_parameter("in_proj_bias", torch::zeros({3 * width}));
  out_proj_ = register_module("out_proj", Linear(width, width));
}

KeysValues PackedAttention::keys_values(const torch::Tensor& context) {
  const std::int64_t width = context.size(-1);
  const auto from =
      linear(context, in_proj_weight_.narrow(0, width, 2 * width), in_proj_bias_.narrow(0, width, 2 * width))
          .chunk(2, -1);
  return {split_heads(from[0], heads_), split_heads(from[1], heads_)};
}

torch::Tensor PackedAttention::attend(const torch::Tensor& x, const KeysValues& from, const torch::Tensor& visible) {
  const std::int64_t width = x.size(-1);
  const torch::Tensor queries = linear(x, in_proj_weight_.narrow(0, 0, width), in_proj_bias_.narrow(0, 0, width));
  const double scale = 1 / std::sqrt(static_cast<double>(width / heads_));
  return linears(training::attend(split_heads(queries, heads_) * scale, from.keys, from.values, visible), {out_proj_});
}

TransformerLayer::TransformerLayer(const TransformerShape& shape) {
  self_attn_ = register_module("self_attn", std::make_shared<PackedAttention>(shape.width, shape.heads));
  linear1_ = register_module("linear1", Linear(shape.width, shape.hidden));
  linear2_ = register_module("linear2", Linear(shape.hidden, shape.width));
  const torch::nn::LayerNormOptions norm({shape.width});
  norm1_ = register_module("norm1", torch::nn::LayerNorm(norm));
  norm2_ = register_module("norm2", torch::nn::LayerNorm(norm));
}

torch::Tensor TransformerLayer::forward(const torch::Tensor& x, std::int64_t keys, const torch::Tensor& visible) {
  if (!fused::transformer_layer_runs(x, self_attn_->heads())) {
    return forward(x, keys_values(x.narrow(1, 0, keys)), visible);
  }
  return fused::transformer_layer(
      x,
      {self_attn_->projections(), self_attn_->projection_biases(), self_attn_->output()->weight,
       self_attn_->output()->bias, norm1_->weight, norm1_->bias, linear1_->weight, linear1_->bias, linear2_->weight,
       linear2_->bias, norm2_->weight, norm2_->bias},
      self_attn_->heads(), keys, visible);
}

torch::Tensor TransformerLayer::forward(const torch::Tensor& x, const KeysValues& from, const torch::Tensor& visible) {
  const torch::Tensor attended = norm1_(x + self_attn_->attend(x, from, visible));
  return norm2_(attended + linears(attended, {linear1_, linear2_}));
}

TransformerEncoder::TransformerEncoder(const TransformerShape& shape, std::int64_t layers)
    : layers_(register_layers<TransformerLayer>(*this, layers, shape)) {}

torch::Tensor TransformerEncoder::forward(torch::Tensor x, std::int64_t visible) {
  for (const auto& layer : layers_) x = layer->forward(x, visible);
  return x;
}

torch::Tensor TransformerEncoder::forward(torch::Tensor x, const torch::Tensor& visible) {
  const std::int64_t most = visible.max().item<std::int64_t>();  // tokens behind are nobody's context
  for (const auto& layer : layers_) x = layer->forward(x, most, visible);
  return x;
}

}  // namespace cmanp::training

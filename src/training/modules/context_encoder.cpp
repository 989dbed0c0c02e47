#include "training/modules/context_encoder.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

ContextEncoderLayer::ContextEncoderLayer(const SubLayerShape& shape) {
  dataset_self_attn_ = register_module("dataset_self_attn", std::make_shared<PreNormAttention>(shape.inner, shape));
  ff_ = register_module("ff", std::make_shared<PreNormFeedForward>(shape.inner, shape));
}

torch::Tensor ContextEncoderLayer::forward(const torch::Tensor& context) {
  return ff_->forward(dataset_self_attn_->forward(context));
}

ContextEncoder::ContextEncoder(const SubLayerShape& shape, std::int64_t layers)
    : layers_(register_layers<ContextEncoderLayer>(*this, layers, shape)) {}

std::vector<torch::Tensor> ContextEncoder::forward(const torch::Tensor& context) {
  std::vector<torch::Tensor> all{context};
  for (const auto& layer : layers_) all.push_back(layer->forward(all.back()));
  return all;
}

}  // namespace cmanp::training

#include "training/modules/query_decoder.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

QueryDecoderLayer::QueryDecoderLayer(std::int64_t encoding_width, const SubLayerShape& shape) {
  cross_attn_ = register_module("cross_attn", std::make_shared<PreNormAttention>(shape.inner, encoding_width, shape));
  cross_ff_ = register_module("cross_ff", std::make_shared<PreNormFeedForward>(shape.inner, shape));
}

torch::Tensor QueryDecoderLayer::forward(const torch::Tensor& queries, const torch::Tensor& encoding) {
  return cross_ff_->forward(cross_attn_->forward(queries, encoding));
}

QueryDecoder::QueryDecoder(std::int64_t encoding_width, const SubLayerShape& shape, std::int64_t layers)
    : layers_(register_layers<QueryDecoderLayer>(*this, layers, encoding_width, shape)) {}

torch::Tensor QueryDecoder::forward(torch::Tensor queries, const std::vector<torch::Tensor>& encodings) {
  for (std::size_t i = 0; i < layers_.size(); ++i) queries = layers_[i]->forward(queries, encodings[i]);
  return queries;
}

}  // namespace cmanp::training

#include "training/modules/pooling_encoder.hpp"

namespace cmanp::training {

PoolingEncoder::PoolingEncoder(const PoolingShape& shape) {
  if (shape.self_attention) {
    const auto pre = register_module("net_pre", std::make_shared<torch::nn::Module>());
    pre_ = pre->register_module("0", std::make_shared<Mlp>(shape.in, shape.hidden, shape.hidden, shape.pre_depth - 2));
    attention_ = pre->register_module("2", std::make_shared<BnpAttention>(shape.hidden));
  } else {
    pre_ = register_module("net_pre", std::make_shared<Mlp>(shape.in, shape.hidden, shape.hidden, shape.pre_depth));
  }
  const std::int64_t out = shape.latent > 0 ? 2 * shape.latent : shape.hidden;
  post_ = register_module("net_post", std::make_shared<Mlp>(shape.hidden, shape.hidden, out, shape.post_depth));
}

torch::Tensor PoolingEncoder::forward(const torch::Tensor& x, const torch::Tensor& y) {
  torch::Tensor points = pre_->forward(torch::cat({x, y}, -1));
  if (attention_) points = attention_->forward(torch::relu(points));
  return post_->forward(points.mean(-2));
}

Normal PoolingEncoder::latent(const torch::Tensor& x, const torch::Tensor& y) {
  const auto halves = forward(x, y).chunk(2, -1);
  return {halves[0], 0.1 + 0.9 * torch::sigmoid(halves[1])};
}

}  // namespace cmanp::training

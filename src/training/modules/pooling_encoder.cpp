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
  const torch::Tensor points = torch::cat({x, y}, -1);
  return post_->forward(keeps(points) ? average_growing(points) : average(points));
}

torch::Tensor PoolingEncoder::embed(const torch::Tensor& points) {
  const torch::Tensor embedded = pre_->forward(points);
  return attention_ ? torch::relu(embedded) : embedded;
}

torch::Tensor PoolingEncoder::average(const torch::Tensor& points) {
  const torch::Tensor embedded = embed(points);
  return (attention_ ? attention_->forward(embedded) : embedded).mean(-2);
}

torch::Tensor PoolingEncoder::average_growing(const torch::Tensor& points) {
  const std::int64_t all = points.size(-2), known = known_of(points);
  const torch::Tensor added = embed(points.narrow(-2, known, all - known));
  if (attention_) return growing_.forward(*attention_, added, known).mean(-2);
  const torch::Tensor sum = added.sum(-2, /*keepdim=*/false, torch::kFloat64);
  sum_ = known > 0 ? sum_ + sum : sum;
  return (sum_ / static_cast<double>(all)).to(points.scalar_type());
}

Normal PoolingEncoder::latent(const torch::Tensor& x, const torch::Tensor& y) {
  const auto halves = forward(x, y).chunk(2, -1);
  return {halves[0], 0.1 + 0.9 * torch::sigmoid(halves[1])};
}

}  // namespace cmanp::training

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
  return post_->forward(attention_ || !keeps_ ? average(points) : average_stream(points));
}

torch::Tensor PoolingEncoder::average(const torch::Tensor& points) {
  torch::Tensor embedded = pre_->forward(points);
  if (attention_) embedded = attention_->forward(torch::relu(embedded));
  return embedded.mean(-2);
}

std::int64_t PoolingEncoder::seen_of(const torch::Tensor& points) const {
  if (!seen_.defined() || seen_.dim() != points.dim() || seen_.size(-2) > points.size(-2)) return 0;
  if (seen_.scalar_type() != points.scalar_type()) return 0;
  return torch::equal(points.narrow(-2, 0, seen_.size(-2)), seen_) ? seen_.size(-2) : 0;
}

// A context that grows by a few points, as in a game, costs those few: all others are in the sum already.
torch::Tensor PoolingEncoder::average_stream(const torch::Tensor& points) {
  const std::int64_t all = points.size(-2), known = seen_of(points);
  if (known < all) {
    const torch::Tensor added = pre_->forward(points.narrow(-2, known, all - known)).sum(-2, false, torch::kFloat64);
    sum_ = known > 0 ? sum_ + added : added;
    seen_ = points;
  }
  return (sum_ / static_cast<double>(all)).to(points.scalar_type());
}

void PoolingEncoder::keep_points(bool on) {
  keeps_ = on;
  seen_ = torch::Tensor();
}

void keep_points(torch::nn::Module& model, bool on) {
  model.apply([on](torch::nn::Module& module) {
    if (auto* encoder = dynamic_cast<PoolingEncoder*>(&module)) encoder->keep_points(on);
  });
}

Normal PoolingEncoder::latent(const torch::Tensor& x, const torch::Tensor& y) {
  const auto halves = forward(x, y).chunk(2, -1);
  return {halves[0], 0.1 + 0.9 * torch::sigmoid(halves[1])};
}

}  // namespace cmanp::training

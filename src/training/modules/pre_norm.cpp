#include "training/modules/pre_norm.hpp"

#include "training/fused/feed_forward.hpp"
#include "training/fused/streamed_block.hpp"
#include "training/fused/switch.hpp"

namespace cmanp::training {
namespace {

torch::nn::LayerNorm layer_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

const torch::Tensor& base(Residual residual, const torch::Tensor& x, const torch::Tensor& normal) {
  return residual == Residual::normalised ? normal : x;
}

}  // namespace

PreNormAttention::PreNormAttention(std::int64_t width, const SubLayerShape& shape) : residual_(shape.residual) {
  fn_ = register_module("fn", std::make_shared<PAttention>(width, width, shape.inner, shape.heads));
  norm_ = register_module("norm", layer_norm(width));
}

PreNormAttention::PreNormAttention(std::int64_t width, std::int64_t context_width, const SubLayerShape& shape)
    : residual_(shape.residual) {
  fn_ = register_module("fn", std::make_shared<PAttention>(width, context_width, shape.inner, shape.heads));
  norm_ = register_module("norm", layer_norm(width));
  norm_context_ = register_module("norm_context", layer_norm(context_width));
}

fused::AttentionParameters PreNormAttention::fused_parameters() const {
  const bool cross = !norm_context_.is_empty();
  return {norm_->weight,
          norm_->bias,
          cross ? norm_context_->weight : torch::Tensor(),
          cross ? norm_context_->bias : torch::Tensor(),
          fn_->to_q()->weight,
          fn_->to_kv()->weight,
          fn_->to_out()->weight,
          fn_->to_out()->bias};
}

torch::Tensor PreNormAttention::forward(const torch::Tensor& x) {
  if (fused::runs({x})) return fused::self_attention(x, fused_parameters(), fn_->heads(), residual_);
  const torch::Tensor normal = norm_(x);
  return fn_->forward(normal, normal) + base(residual_, x, normal);
}

torch::Tensor PreNormAttention::forward(const torch::Tensor& x, const torch::Tensor& context) {
  if (fused::runs({x, context})) {
    return fused::cross_attention(x, context, fused_parameters(), fn_->heads(), residual_);
  }
  const torch::Tensor normal = norm_(x);
  return fn_->forward(normal, norm_context_(context)) + base(residual_, x, normal);
}

torch::Tensor PreNormAttention::queries(const torch::Tensor& x) { return fn_->queries(norm_(x)); }

KeysValues PreNormAttention::keys_values(const torch::Tensor& context) {
  return fn_->keys_values(norm_context_(context));
}

torch::Tensor PreNormAttention::finish(const torch::Tensor& x, const torch::Tensor& head_values) {
  return fn_->output(head_values) + (residual_ == Residual::normalised ? norm_(x) : x);
}

std::shared_ptr<StreamedBlock> PreNormAttention::streamed(const torch::Tensor& x) {
  // The context is not there yet; its norm has its width and type.
  if (fused::runs({x, norm_context_->weight.view({1, 1, -1})})) {
    return fused::streamed_block(queries(x), fused_parameters());
  }
  return std::make_shared<PlainStreamedBlock>(
      queries(x), std::vector{norm_context_->weight, norm_context_->bias, fn_->to_kv()->weight},
      [norm = norm_context_, fn = fn_](const torch::Tensor& tokens) mutable { return fn->keys_values(norm(tokens)); });
}

PreNormFeedForward::PreNormFeedForward(std::int64_t width, const SubLayerShape& shape) : residual_(shape.residual) {
  fn_ = register_module("fn", std::make_shared<GegluFeedForward>(width, shape.hidden));
  norm_ = register_module("norm", layer_norm(width));
}

torch::Tensor PreNormFeedForward::forward(const torch::Tensor& x) {
  if (fused::runs({x})) {
    return fused::feed_forward(
        x, {norm_->weight, norm_->bias, fn_->in()->weight, fn_->in()->bias, fn_->out()->weight, fn_->out()->bias},
        residual_);
  }
  const torch::Tensor normal = norm_(x);
  return fn_->forward(normal) + base(residual_, x, normal);
}

}  // namespace cmanp::training

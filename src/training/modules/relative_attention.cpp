#include "training/modules/relative_attention.hpp"

#include "base/grid_axis.hpp"
#include "training/attention/heads.hpp"
#include "training/fused/switch.hpp"

namespace cmanp::training {

using torch::Tensor;

namespace {

// Pairs (i, i + h/2) of features t [B, H, n, h], turned by angles [B or 1, H, n, h / 2].
Tensor turned(const Tensor& t, const Tensor& angles) {
  const auto pair = t.chunk(2, -1);
  const Tensor cos = angles.cos(), sin = angles.sin();
  return torch::cat({pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos}, -1);
}

Tensor of_heads(const Tensor& values) { return values.view({1, -1, 1, 1}); }

}  // namespace

RelativeAttention::RelativeAttention(const RelativeShape& shape, Attends attends)
    : residual_(shape.layer.residual), least_gamma_(base::least_gamma(shape.longest_length, shape.spacing)) {
  const std::int64_t width = shape.layer.inner, heads = shape.layer.heads, dim = width / heads;
  fn_ = register_module("fn", std::make_shared<PAttention>(width, width, width, heads));
  const torch::nn::LayerNormOptions norm({width});
  norm_ = register_module("norm", torch::nn::LayerNorm(norm));
  if (attends != Attends::to_itself) norm_context_ = register_module("norm_context", torch::nn::LayerNorm(norm));
  log_gamma_ = register_parameter("log_gamma", torch::zeros({heads}));
  log_omega_ = register_parameter("log_omega", torch::zeros({heads, dim / 2}));
  if (shape.dim_x > 1) direction_ = register_parameter("direction", torch::zeros({heads, dim / 2, shape.dim_x}));
  if (attends != Attends::to_context) return;
  null_score_ = register_parameter("null_score", torch::zeros({heads}));
  null_value_ = register_parameter("null_value", torch::zeros({heads, dim}));
}

Tensor RelativeAttention::gamma() const { return log_gamma_.exp().clamp_min(least_gamma_); }

Tensor RelativeAttention::omega() const {
  const Tensor frequency = log_omega_.exp().unsqueeze(-1);
  return direction_.defined() ? frequency * direction_ : frequency;
}

Tensor RelativeAttention::angles(const Tensor& places) const {
  const Tensor all = torch::matmul(places, omega().flatten(0, 1).t());  // [B or 1, n, H * h / 2]
  return split_heads(all, fn_->heads());
}

Tensor RelativeAttention::queries(const Tensor& x, const Tensor& places) {
  return turned(fn_->queries(norm_(x)), angles(places));
}

KeysValues RelativeAttention::keys_values(const Tensor& context, const Tensor& places) {
  torch::nn::LayerNorm norm = norm_of_context();
  const KeysValues plain = fn_->keys_values(norm(context));
  const Tensor by = angles(places);
  return {turned(plain.keys, by), turned(plain.values, by)};
}

// From the difference itself: squares of places far from the origin would cancel.
Tensor RelativeAttention::penalty(const Tensor& places, const Tensor& context_places) const {
  const Tensor apart = (places.unsqueeze(2) - context_places.unsqueeze(1)).square().sum(-1);  // [B or 1, n, m]
  return of_heads(gamma()) * apart.unsqueeze(1);
}

Tensor RelativeAttention::output(const Tensor& x, const Tensor& head_values) {
  return fn_->output(head_values) + (residual_ == Residual::normalised ? norm_(x) : x);
}

Tensor RelativeAttention::plain(const Tensor& x, const Tensor& places, const Tensor& context,
                                const Tensor& context_places) {
  const KeysValues from = keys_values(context, context_places);
  const Tensor scores =
      torch::matmul(queries(x, places), from.keys.transpose(-2, -1)) - penalty(places, context_places);
  const Tensor back = -angles(places);
  if (!null_score_.defined()) return output(x, turned(torch::matmul(scores.softmax(-1), from.values), back));
  const Tensor null = of_heads(null_score_).expand({scores.size(0), -1, scores.size(2), 1});
  const Tensor shares = torch::cat({scores, null}, -1).softmax(-1);
  const Tensor seen = torch::matmul(shares.narrow(-1, 0, scores.size(-1)), from.values);
  return output(x, turned(seen, back) + shares.narrow(-1, scores.size(-1), 1) * null_value_.unsqueeze(1));
}

fused::RelativeParameters RelativeAttention::fused_parameters() const {
  const bool cross = !norm_context_.is_empty();
  return {{norm_->weight, norm_->bias, cross ? norm_context_->weight : Tensor(), cross ? norm_context_->bias : Tensor(),
           fn_->to_q()->weight, fn_->to_kv()->weight, fn_->to_out()->weight, fn_->to_out()->bias},
          gamma(),
          omega(),
          null_score_,
          null_value_};
}

Tensor RelativeAttention::forward(const Tensor& x, const Tensor& places) {
  if (fused::runs({x})) return fused::relative_attention(x, places, {}, {}, fused_parameters(), residual_);
  return plain(x, places, x, places);
}

Tensor RelativeAttention::forward(const Tensor& x, const Tensor& places, const Tensor& context,
                                  const Tensor& context_places) {
  if (fused::runs({x, context})) {
    return fused::relative_attention(x, places, context, context_places, fused_parameters(), residual_);
  }
  return plain(x, places, context, context_places);
}

AttentionState RelativeAttention::absorb(const AttentionState& state, const Tensor& x, const Tensor& places,
                                         const Tensor& context, const Tensor& context_places) {
  return training::absorb(state, queries(x, places), keys_values(context, context_places),
                          penalty(places, context_places));
}

Tensor RelativeAttention::finish(const Tensor& x, const Tensor& places, const AttentionState& state) {
  const Tensor null_value = null_value_.unsqueeze(1);  // [H, 1, h]
  if (state.empty()) return output(x, null_value.expand({x.size(0), -1, x.size(1), -1}));
  const Tensor null_score = of_heads(null_score_).to(torch::kFloat64);
  const Tensor max = torch::maximum(state.max, null_score);
  const Tensor keep = (state.max - max).exp(), null = (null_score - max).exp();
  const Tensor sum = state.sum * keep + null;
  const auto type = x.scalar_type();
  const Tensor seen = turned((state.weighted * (keep / sum)).to(type), -angles(places));
  return output(x, seen + (null / sum).to(type) * null_value);
}

}  // namespace cmanp::training

#include "training/modules/attention_state.hpp"

namespace cmanp::training {

AttentionState merge(const AttentionState& a, const AttentionState& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const torch::Tensor max = torch::maximum(a.max, b.max);
  const torch::Tensor scale_a = (a.max - max).exp(), scale_b = (b.max - max).exp();
  return {max, a.sum * scale_a + b.sum * scale_b, a.weighted * scale_a + b.weighted * scale_b};
}

AttentionState absorb(const AttentionState& state, const torch::Tensor& queries, const KeysValues& chunk,
                      const torch::Tensor& penalty) {
  if (chunk.keys.size(-2) == 0) return state;
  torch::Tensor scores = torch::matmul(queries, chunk.keys.transpose(-2, -1));
  if (penalty.defined()) scores = scores - penalty;
  // Any reference gives the same attention, so that no gradient has to pass through the maximum.
  const torch::Tensor max = scores.detach().amax(-1, /*keepdim=*/true);
  const torch::Tensor weights = (scores - max).exp();
  return merge(state, {max.to(torch::kFloat64), weights.sum(-1, /*keepdim=*/true).to(torch::kFloat64),
                       torch::matmul(weights, chunk.values).to(torch::kFloat64)});
}

torch::Tensor read(const AttentionState& state, const torch::Tensor& like) {
  if (state.empty()) return torch::zeros_like(like);
  return (state.weighted / state.sum).to(like.scalar_type());
}

torch::Tensor log_normaliser(const AttentionState& state) { return state.max + state.sum.log(); }

}  // namespace cmanp::training

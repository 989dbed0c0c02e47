// The pre-norm attention sub-layer in relative coordinates: every token has a place p, and only differences of places
// enter. With R(p) the rotation of a head's pairs of features by the angles omega · p,
//
//     score  = (R(p) q) · (R(p') k) / sqrt(h) - gamma |p - p'|²
//     output = R(p)^-1 sum of softmax(score) R(p') v
//
// Attention to a context has a null key besides: a score and a value of each head, added when the attention is read, so
// that a state of the context knows nothing of it and merges as ever. docs/mathematics.md has the derivation.
//
// The plain form here is the definition; where the fused kernels can run (training/fused), they do.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/fused/relative_attention.hpp"
#include "training/modules/attention_state.hpp"
#include "training/modules/p_attention.hpp"
#include "training/modules/pre_norm.hpp"

namespace cmanp::training {

struct RelativeShape {
  SubLayerShape layer;  // all tokens are as wide as `inner`
  std::int64_t dim_x;
  double spacing;         // of the grid, which all lengths are measured by
  double longest_length;  // in spacings
};

enum class Attends { to_itself, to_others, to_context };  // the last with a null key

class RelativeAttention : public torch::nn::Module {
 public:
  RelativeAttention(const RelativeShape& shape, Attends attends);

  // Tokens x [B, n, width] at places [B or 1, n, dim_x]; a context [B, m, width] at its own.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& places);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& places, const torch::Tensor& context,
                        const torch::Tensor& context_places);

  // The same in parts, for a context that comes in pieces: x [1, n, width] never changes.
  AttentionState absorb(const AttentionState& state, const torch::Tensor& x, const torch::Tensor& places,
                        const torch::Tensor& context, const torch::Tensor& context_places);
  torch::Tensor finish(const torch::Tensor& x, const torch::Tensor& places, const AttentionState& state);

  torch::Tensor gamma() const;  // [H]
  torch::Tensor omega() const;  // [H, h / 2, dim_x]

 private:
  const torch::nn::LayerNorm& norm_of_context() const { return norm_context_.is_empty() ? norm_ : norm_context_; }
  torch::Tensor plain(const torch::Tensor& x, const torch::Tensor& places, const torch::Tensor& context,
                      const torch::Tensor& context_places);
  fused::RelativeParameters fused_parameters() const;
  torch::Tensor angles(const torch::Tensor& places) const;  // [B or 1, H, n, h / 2]
  torch::Tensor queries(const torch::Tensor& x, const torch::Tensor& places);
  KeysValues keys_values(const torch::Tensor& context, const torch::Tensor& places);
  torch::Tensor penalty(const torch::Tensor& places, const torch::Tensor& context_places) const;  // [B or 1, H, n, m]
  torch::Tensor output(const torch::Tensor& x, const torch::Tensor& head_values);

  Residual residual_;
  double least_gamma_;
  std::shared_ptr<PAttention> fn_;
  torch::nn::LayerNorm norm_{nullptr}, norm_context_{nullptr};  // the latter not where it attends to itself
  torch::Tensor log_gamma_;                                     // [H]
  torch::Tensor log_omega_;                                     // [H, h / 2]
  torch::Tensor direction_;                                     // [H, h / 2, dim_x]; of several x only
  torch::Tensor null_score_, null_value_;                       // [H], [H, h]; where it attends to a context
};

}  // namespace cmanp::training

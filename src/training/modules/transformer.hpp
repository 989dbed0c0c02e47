// Post-norm transformer layers with packed query, key and value weights: TNP's encoder, and the one over targets in
// the covariance head.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "training/modules/p_attention.hpp"

namespace cmanp::training {

struct TransformerShape {
  std::int64_t width, heads, hidden;
};

class PackedAttention : public torch::nn::Module {
 public:
  PackedAttention(std::int64_t width, std::int64_t heads);

  // Keys and values of tokens that others attend to [B, m, width].
  KeysValues keys_values(const torch::Tensor& context);
  // Tokens x [B, n, width] attend to them; token i to the first visible[i] where `visible` [n] (int64) is defined.
  torch::Tensor attend(const torch::Tensor& x, const KeysValues& from, const torch::Tensor& visible);

  // What a fused form reads.
  std::int64_t heads() const { return heads_; }
  const torch::Tensor& projections() const { return in_proj_weight_; }
  const torch::Tensor& projection_biases() const { return in_proj_bias_; }
  const torch::nn::Linear& output() const { return out_proj_; }

 private:
  std::int64_t heads_;
  torch::Tensor in_proj_weight_, in_proj_bias_;  // [3 width, width], [3 width]: query, key, value
  torch::nn::Linear out_proj_{nullptr};
};

// x = norm1(x + attention(x)); x = norm2(x + W2 relu(W1 x)).
class TransformerLayer : public torch::nn::Module {
 public:
  explicit TransformerLayer(const TransformerShape& shape);

  // Tokens x [B, n, width] attend to the first `keys` of them; token i to the first visible[i] of those where `visible`
  // [n] (int64) is defined.
  torch::Tensor forward(const torch::Tensor& x, std::int64_t keys, const torch::Tensor& visible = {});

  // The same in parts, for a context that grows.
  KeysValues keys_values(const torch::Tensor& context) { return self_attn_->keys_values(context); }
  torch::Tensor forward(const torch::Tensor& x, const KeysValues& from, const torch::Tensor& visible = {});

 private:
  std::shared_ptr<PackedAttention> self_attn_;
  torch::nn::Linear linear1_{nullptr}, linear2_{nullptr};
  torch::nn::LayerNorm norm1_{nullptr}, norm2_{nullptr};
};

class TransformerEncoder : public torch::nn::Module {
 public:
  TransformerEncoder(const TransformerShape& shape, std::int64_t layers);

  // Every token attends to the first `visible` ones, which is all that TNP-D's mask says.
  torch::Tensor forward(torch::Tensor x, std::int64_t visible);
  // Token i attends to the first visible[i] ones, one at least, which is all that TNP-A's mask says.
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& visible);

  const std::vector<std::shared_ptr<TransformerLayer>>& layers() const { return layers_; }

 private:
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
};

}  // namespace cmanp::training

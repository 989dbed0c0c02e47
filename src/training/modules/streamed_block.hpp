// A cross-attention over a streamed context (attention/streamed_block.hpp), in plain libtorch.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

#include "training/attention/chunk_gradients.hpp"
#include "training/attention/streamed_block.hpp"
#include "training/modules/attention_state.hpp"

namespace cmanp::training {

// The definition: any type, any device.
class PlainStreamedBlock : public StreamedBlock {
 public:
  using KeysOfTokens = std::function<KeysValues(const torch::Tensor& tokens)>;

  // Queries [1, H, L, h], scaled; `parameters` are those that `keys` reads.
  PlainStreamedBlock(const torch::Tensor& queries, const std::vector<torch::Tensor>& parameters, KeysOfTokens keys);

  const std::vector<torch::Tensor>& inputs() const override { return inputs_; }
  void absorb(const torch::Tensor& tokens) override;
  torch::Tensor attended() const override;
  void start_backward(const torch::Tensor& up) override;
  torch::Tensor backward(const torch::Tensor& tokens) override;
  std::vector<torch::Tensor> gradients() const override { return sums_.take(); }

 private:
  std::vector<torch::Tensor> inputs_;  // queries, parameters
  KeysOfTokens keys_;
  AttentionState state_;
  torch::Tensor up_weighted_, up_sum_;  // gradients of the state: [B, H, L, h], [B, H, L, 1]
  GradientSums sums_;
};

}  // namespace cmanp::training

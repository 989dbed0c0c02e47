// A cross-attention with fixed queries whose context comes twice, in chunks: forward absorbs the chunks, backward gets
// the same tokens again and gives their gradient. In between it holds its state only, however long the context.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

#include "training/modules/attention_state.hpp"
#include "training/modules/chunk_gradients.hpp"

namespace cmanp::training {

class StreamedBlock {
 public:
  virtual ~StreamedBlock() = default;

  // What it is a function of besides the tokens: the queries, and the parameters that make keys and values of tokens.
  virtual const std::vector<torch::Tensor>& inputs() const = 0;

  // Forward, without a graph: every chunk of tokens [B, m, d_model], then the attended values [B, H, L, h].
  virtual void absorb(const torch::Tensor& tokens) = 0;
  virtual torch::Tensor attended() const = 0;

  // Backward: the gradient of the attended values, then every chunk again, whose gradient it returns, then the sums of
  // the inputs' gradients, in their order.
  virtual void start_backward(const torch::Tensor& up) = 0;
  virtual torch::Tensor backward(const torch::Tensor& tokens) = 0;
  virtual std::vector<torch::Tensor> gradients() const = 0;
};

// The definition, in plain libtorch: any type, any device.
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

// A cross-attention with fixed queries whose context comes twice, in chunks: forward absorbs the chunks, backward gets
// the same tokens again and gives their gradient. In between it holds its state only, however long the context.
#pragma once

#include <torch/torch.h>

#include <vector>

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

}  // namespace cmanp::training

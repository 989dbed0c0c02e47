// The feed-forward of the Perceiver-style layers: W2 (a * gelu(g)), where W1 x gives a and g.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

class GegluFeedForward : public torch::nn::Module {
 public:
  GegluFeedForward(std::int64_t width, std::int64_t hidden);

  torch::Tensor forward(const torch::Tensor& x);

  // What a fused form reads.
  const torch::nn::Linear& in() const { return in_; }
  const torch::nn::Linear& out() const { return out_; }

 private:
  torch::nn::Linear in_{nullptr}, out_{nullptr};
};

}  // namespace cmanp::training

// The pre-norm feed-forward sub-layer as one autograd node over the kernels.
#pragma once

#include <torch/torch.h>

#include <cmanp/residual.hpp>

namespace cmanp::training::fused {

struct FeedForwardParameters {
  torch::Tensor norm_weight, norm_bias;  // [width]
  torch::Tensor in_weight, in_bias;      // [2 hidden, width], [2 hidden]
  torch::Tensor out_weight, out_bias;    // [width, hidden], [width]
};

// x [..., width]
torch::Tensor feed_forward(const torch::Tensor& x, const FeedForwardParameters& parameters, Residual residual);

}  // namespace cmanp::training::fused

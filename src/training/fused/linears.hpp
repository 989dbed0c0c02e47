// Linear layers with a ReLU between each two as one autograd node over the kernels.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace cmanp::training::fused {

// Whether it can run: floats on a CPU, one row at least.
bool linears_run(const torch::Tensor& x);

// x [..., in] through layers of weights [out, in] and biases [out], which may be undefined for none.
torch::Tensor linears(const torch::Tensor& x, const std::vector<torch::Tensor>& weights,
                      const std::vector<torch::Tensor>& biases);

}  // namespace cmanp::training::fused

// Linear layers with a ReLU between each two: by the fused kernels where they run, by libtorch elsewhere.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace cmanp::training {

torch::Tensor linears(const torch::Tensor& x, std::vector<torch::nn::Linear> layers);

// One layer of these weights; `bias` may be undefined.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace cmanp::training

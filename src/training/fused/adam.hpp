// Adam's step over flat tensors by the kernel, by all threads.
#pragma once

#include <torch/torch.h>

namespace cmanp::training::fused {

struct AdamNumbers {
  double beta1, beta2, epsilon;
  double rate;         // over 1 - beta1^step
  double correction2;  // 1 - beta2^step
};

// Whether it can run: floats on a CPU, one behind the other.
bool adam_runs(const torch::Tensor& values, const torch::Tensor& gradients);

// All of one size. `share` may be undefined: all of every step is taken.
void adam(const AdamNumbers& numbers, const torch::Tensor& gradients, const torch::Tensor& share, torch::Tensor values,
          torch::Tensor first_moment, torch::Tensor second_moment);

}  // namespace cmanp::training::fused

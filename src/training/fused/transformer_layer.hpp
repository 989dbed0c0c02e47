// The post-norm transformer layer as one autograd node over the kernels, parallel over tasks: no score is stored.
#pragma once

#include <torch/torch.h>

namespace cmanp::training::fused {

struct TransformerParameters {
  torch::Tensor projections, projection_biases;  // [3 width, width], [3 width]: query, key, value
  torch::Tensor output, output_bias;
  torch::Tensor norm1_weight, norm1_bias;
  torch::Tensor hidden, hidden_bias;  // [hidden, width]
  torch::Tensor back, back_bias;      // [width, hidden]
  torch::Tensor norm2_weight, norm2_bias;
};

// Whether it can run, and is worth it: floats on a CPU, heads on whole panels, gradients wanted, and a task at least
// for each thread (other forms share the rows of one among them).
bool transformer_layer_runs(const torch::Tensor& x, std::int64_t heads);

// Tokens x [B, n, width] attend to the first `keys` of them; token i to the first visible[i] of those, one at least,
// where `visible` [n] (int64) is defined.
torch::Tensor transformer_layer(const torch::Tensor& x, const TransformerParameters& parameters, std::int64_t heads,
                                std::int64_t keys, const torch::Tensor& visible);

}  // namespace cmanp::training::fused

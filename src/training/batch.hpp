// A batch of tasks that share their numbers of context and target points: what tasks make and models read.
#pragma once

#include <torch/torch.h>

namespace cmanp::training {

struct Batch {
  torch::Tensor xc;  // [B, N, dx] context inputs
  torch::Tensor yc;  // [B, N, dy] context outputs
  torch::Tensor xt;  // [B, M, dx] target inputs
  torch::Tensor yt;  // [B, M, dy] target outputs
};

}  // namespace cmanp::training

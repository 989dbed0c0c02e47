// A batch of tasks that share their numbers of context and target points: what tasks make and models read.
#pragma once

#include <torch/torch.h>

namespace cmanp::training {

struct Batch {
  torch::Tensor xc;  // [B, N, dx] context inputs
  torch::Tensor yc;  // [B, N, dy] context outputs
  torch::Tensor xt;  // [B, M, dx] target inputs
  torch::Tensor yt;  // [B, M, dy] target outputs

  // [B, N, dy] what yc was before noise took the place of some of it; undefined where none did.
  torch::Tensor yc_without_noise = {};
};

// The context points as further targets, without noise.
inline Batch with_context_as_targets(const Batch& batch) {
  const torch::Tensor& yc = batch.yc_without_noise.defined() ? batch.yc_without_noise : batch.yc;
  return {batch.xc, batch.yc, torch::cat({batch.xc, batch.xt}, 1), torch::cat({yc, batch.yt}, 1)};
}

}  // namespace cmanp::training

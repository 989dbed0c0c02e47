// A batch of tasks that share their numbers of context and target points: what tasks make and models read.
#pragma once

#include <torch/torch.h>

namespace cmanp::training {

// What is known of the y of points, given the context and what it was drawn from, noise included.
struct Truth {
  torch::Tensor mean;        // [B, M, dy]
  torch::Tensor variance;    // [B, M, dy]
  torch::Tensor covariance;  // [B, M dy, M dy], index = point * dy + channel; undefined where nobody asks for it

  bool defined() const { return mean.defined(); }

  // Of the last so many points.
  Truth of_targets(std::int64_t targets) const {
    const std::int64_t first = mean.size(1) - targets, dy = mean.size(2);
    const auto last = [&](const torch::Tensor& t) { return t.narrow(1, first, targets); };
    return {last(mean), last(variance),
            covariance.defined() ? covariance.narrow(1, first * dy, targets * dy).narrow(2, first * dy, targets * dy)
                                 : covariance};
  }

  // Points from `first` on, in blocks of `size`, each as a task of its own: mean [blocks, size dy] and covariance.
  Truth in_blocks(std::int64_t first, std::int64_t count, std::int64_t size) const {
    const std::int64_t dy = mean.size(2), blocks = count / size, rows = size * dy;
    const torch::Tensor part = covariance.narrow(1, first * dy, count * dy).narrow(2, first * dy, count * dy);
    // [B, blocks, rows, blocks, rows] to its diagonal over blocks
    const torch::Tensor own = part.reshape({-1, blocks, rows, blocks, rows}).diagonal(0, 1, 3).permute({0, 3, 1, 2});
    return {mean.narrow(1, first, count).reshape({-1, rows}), {}, own.reshape({-1, rows, rows})};
  }
};

struct Batch {
  torch::Tensor xc;  // [B, N, dx] context inputs
  torch::Tensor yc;  // [B, N, dy] context outputs
  torch::Tensor xt;  // [B, M, dx] target inputs
  torch::Tensor yt;  // [B, M, dy] target outputs

  // [B, N, dy] what yc was before noise took the place of some of it; undefined where none did.
  torch::Tensor yc_without_noise = {};

  // Of context points, seen once more, and targets, in this order; the last points are always the targets. Undefined
  // where the task does not know, or was not asked.
  Truth truth = {};
};

// The context points as further targets, without noise.
inline Batch with_context_as_targets(const Batch& batch) {
  const torch::Tensor& yc = batch.yc_without_noise.defined() ? batch.yc_without_noise : batch.yc;
  return {batch.xc, batch.yc, torch::cat({batch.xc, batch.xt}, 1), torch::cat({yc, batch.yt}, 1), {}, batch.truth};
}

}  // namespace cmanp::training

// A context that grows by a few points from call to call, as in a game: encoders keep what they made of it, so that
// only those few are work. Off unless asked for, and for as long as weights stay as they are.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

// Of every encoder in the model that can.
void keep_points(torch::nn::Module& model, bool on);

class GrowingContext {
 public:
  virtual ~GrowingContext() = default;
  void keep_points(bool on) {
    keeps_ = on;
    seen_ = torch::Tensor();
  }

 protected:
  // One context for each task is kept, [B, N, dim]; not the bootstraps' many, which are new every time.
  bool keeps(const torch::Tensor& points) const { return keeps_ && points.dim() == 3 && points.size(1) > 0; }

  // How many of the points, from the first on, are the last context. From here on all of them are.
  std::int64_t known_of(const torch::Tensor& points);

 private:
  bool keeps_ = false;
  torch::Tensor seen_;
};

// Rows [..., known, dim] with those of `added` behind them.
inline torch::Tensor append_rows(const torch::Tensor& rows, const torch::Tensor& added) {
  return rows.defined() ? torch::cat({rows, added}, -2) : added;
}

}  // namespace cmanp::training

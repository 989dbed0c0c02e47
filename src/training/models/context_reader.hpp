// CMANP's trunks, in any coordinates: what a context did to them is a state of constant size, which takes in points as
// they come and answers at any time.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "training/modules/attention_state.hpp"

namespace cmanp::training {

class ContextReader {
 public:
  using State = std::vector<AttentionState>;  // a block each

  virtual ~ContextReader() = default;

  virtual State empty_state() const = 0;

  // Takes in points [B, m, ·], `chunk` at a time (0: all at once): embeds a chunk, absorbs it, forgets it.
  void observe(State& state, const torch::Tensor& x, const torch::Tensor& y, std::int64_t chunk) {
    const std::int64_t points = x.size(1), most = chunk > 0 ? chunk : std::max<std::int64_t>(points, 1);
    for (std::int64_t first = 0; first < points; first += most) {
      const std::int64_t count = std::min(most, points - first);
      absorb(state, x.narrow(1, first, count), y.narrow(1, first, count));
    }
  }

  // Encoded targets [B, M, d_model] at xt [B, M, dim_x].
  virtual torch::Tensor encode(const State& state, const torch::Tensor& xt) = 0;

 private:
  virtual void absorb(State& state, const torch::Tensor& x, const torch::Tensor& y) = 0;
};

}  // namespace cmanp::training

// Self-attention over points that become more. What every point has gathered so far is kept, so that a further one
// costs a row and a column of scores in place of all of them.
#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "training/modules/attention_state.hpp"
#include "training/modules/bnp_attention.hpp"

namespace cmanp::training {

class GrowingAttention {
 public:
  // attention(x, x, x) for x of `known` rows, those of the last call (or none, to start anew), and `added` behind them.
  torch::Tensor forward(BnpAttention& attention, const torch::Tensor& added, std::int64_t known);

 private:
  torch::Tensor queries_;  // [B, N, width]
  KeysValues from_;        // [B, H, N, h]
  AttentionState state_;   // a query each
};

}  // namespace cmanp::training

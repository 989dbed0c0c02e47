// A context in training that is never in memory as tokens: one autograd node takes the points themselves, embeds them a
// chunk at a time for all blocks, and in backward embeds them anew. Memory does not grow with the number of points
// beyond the points (docs/mathematics.md has the derivation).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "training/modules/streamed_block.hpp"

namespace cmanp::training {

struct ContextStream {
  torch::Tensor x, y;  // [B, N, dx], [B, N, dy]; one point at least
  std::int64_t chunk;  // points
  std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)> embed;  // to tokens [B, m, d_model]
  std::vector<torch::Tensor> parameters;                                               // that `embed` reads
};

// What each block attends to, [B, H, L, h].
std::vector<torch::Tensor> attend(const ContextStream& context,
                                  const std::vector<std::shared_ptr<StreamedBlock>>& blocks);

}  // namespace cmanp::training

// A cross-attention over a streamed context (modules/streamed_block.hpp) by the kernels, parallel over tasks.
#pragma once

#include <memory>

#include "training/fused/attention.hpp"
#include "training/modules/streamed_block.hpp"

namespace cmanp::training::fused {

// Queries [1, H, L, h], scaled; tokens will be [B, m, context_width].
std::shared_ptr<StreamedBlock> streamed_block(const torch::Tensor& queries, const AttentionParameters& parameters);

}  // namespace cmanp::training::fused

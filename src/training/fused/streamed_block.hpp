// A cross-attention over a streamed context (attention/streamed_block.hpp) by the kernels, parallel over tasks.
#pragma once

#include <memory>

#include "training/attention/streamed_block.hpp"
#include "training/fused/attention.hpp"

namespace cmanp::training::fused {

// Queries [1, H, L, h], scaled; tokens will be [B, m, context_width].
std::shared_ptr<StreamedBlock> streamed_block(const torch::Tensor& queries, const AttentionParameters& parameters);

}  // namespace cmanp::training::fused

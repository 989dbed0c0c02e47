// The constant memory attention block: phase 1 brings a context into the block's own latents, phase 2 these into the
// input latents. Only phase 1's cross-attention sees the context, and its queries never change, so that a state of
// constant size stands for any context.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "training/modules/attention_state.hpp"
#include "training/modules/context_stream.hpp"
#include "training/modules/pre_norm.hpp"

namespace cmanp::training {

struct CmabShape {
  SubLayerShape layer;
  std::int64_t latents;      // num_latents_per_layer
  std::int64_t width;        // layer_latent_dim: of the block's own latents
  std::int64_t input_width;  // latent_dim: of the input latents
};

class Cmab : public torch::nn::Module {
 public:
  explicit Cmab(const CmabShape& shape);

  // The whole context at once: context [B, N, d_model], input latents [B, L, input_width].
  torch::Tensor forward(const torch::Tensor& input_latents, const torch::Tensor& context);

  // The same in two steps, the first as often as there are chunks.
  AttentionState absorb(const AttentionState& state, const torch::Tensor& chunk);
  torch::Tensor forward(const torch::Tensor& input_latents, const AttentionState& state);

  // What the context does to the block, in parts: scaled queries of its own latents [1, H, latents, h], and the
  // context's keys and values.
  torch::Tensor queries() { return layer_cross_attn_->queries(own_latents()); }
  KeysValues keys_values(const torch::Tensor& context) { return layer_cross_attn_->keys_values(context); }

  // And in training, where a node attends to the context for all blocks; attended [B, H, latents, h].
  std::shared_ptr<StreamedBlock> streamed() { return layer_cross_attn_->streamed(own_latents()); }
  torch::Tensor finish(const torch::Tensor& input_latents, const torch::Tensor& attended);

 private:
  torch::Tensor own_latents() const { return latents_.unsqueeze(0); }
  torch::Tensor rest(const torch::Tensor& input_latents, torch::Tensor own);

  torch::Tensor latents_;  // [latents, width]
  std::shared_ptr<PreNormAttention> layer_latent_self_attn_, layer_cross_attn_, latent_self_attn_, cross_attn_;
  std::shared_ptr<PreNormFeedForward> layer_latent_ff_, layer_cross_ff_, latent_ff_, cross_ff_;
};

// A stack of blocks that all read the same context; keeps what each block answers.
class CmabEncoder : public torch::nn::Module {
 public:
  using State = std::vector<AttentionState>;  // a block each

  CmabEncoder(const CmabShape& shape, std::int64_t blocks);

  std::vector<torch::Tensor> forward(torch::Tensor latents, const torch::Tensor& context);
  std::vector<torch::Tensor> forward(torch::Tensor latents, const State& state);
  std::vector<torch::Tensor> forward(torch::Tensor latents, const ContextStream& context);

  const std::vector<std::shared_ptr<Cmab>>& blocks() const { return blocks_; }

  State empty_state() const { return State(blocks_.size()); }
  void absorb(State& state, const torch::Tensor& chunk);  // [B, m, d_model]

 private:
  std::vector<std::shared_ptr<Cmab>> blocks_;
};

}  // namespace cmanp::training

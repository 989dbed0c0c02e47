// The constant memory attention block in relative coordinates: its own latents are one learned vector at every place of
// a grid, so that any range at the same spacing has the same weights. Else as Cmab, with the same parts and names.
#pragma once

#include <memory>
#include <vector>

#include "training/modules/relative_attention.hpp"

namespace cmanp::training {

class RelativeCmab : public torch::nn::Module {
 public:
  explicit RelativeCmab(const RelativeShape& shape);

  // Input latents [B, L, width] and the block's own lie at grid [1, L, dim_x]; context [B, N, width] at its places.
  torch::Tensor forward(const torch::Tensor& input_latents, const torch::Tensor& grid, const torch::Tensor& context,
                        const torch::Tensor& places);

  // The same in two steps, the first as often as there are chunks.
  AttentionState absorb(const AttentionState& state, const torch::Tensor& grid, const torch::Tensor& chunk,
                        const torch::Tensor& places);
  torch::Tensor forward(const torch::Tensor& input_latents, const torch::Tensor& grid, const AttentionState& state);

 private:
  torch::Tensor own_latents(const torch::Tensor& grid) const { return latents_.expand({1, grid.size(1), -1}); }
  torch::Tensor rest(const torch::Tensor& input_latents, const torch::Tensor& grid, torch::Tensor own);

  torch::Tensor latents_;  // [1, width]
  std::shared_ptr<RelativeAttention> layer_latent_self_attn_, layer_cross_attn_, latent_self_attn_, cross_attn_;
  std::shared_ptr<PreNormFeedForward> layer_latent_ff_, layer_cross_ff_, latent_ff_, cross_ff_;
};

// A stack of blocks that all read the same context; keeps what each block answers.
class RelativeCmabEncoder : public torch::nn::Module {
 public:
  using State = std::vector<AttentionState>;  // a block each

  RelativeCmabEncoder(const RelativeShape& shape, std::int64_t blocks);

  std::vector<torch::Tensor> forward(torch::Tensor latents, const torch::Tensor& grid, const torch::Tensor& context,
                                     const torch::Tensor& places);
  std::vector<torch::Tensor> forward(torch::Tensor latents, const torch::Tensor& grid, const State& state);

  State empty_state() const { return State(blocks_.size()); }
  void absorb(State& state, const torch::Tensor& grid, const torch::Tensor& chunk, const torch::Tensor& places);

 private:
  std::vector<std::shared_ptr<RelativeCmab>> blocks_;
};

// Attention and a feed-forward: a layer of the query side, or of targets that see each other.
class RelativeLayer : public torch::nn::Module {
 public:
  RelativeLayer(const RelativeShape& shape, Attends attends);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& places);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& places, const torch::Tensor& context,
                        const torch::Tensor& context_places);

 private:
  std::shared_ptr<RelativeAttention> attention_;
  std::shared_ptr<PreNormFeedForward> feed_forward_;
};

class RelativeStack : public torch::nn::Module {
 public:
  RelativeStack(const RelativeShape& shape, Attends attends, std::int64_t layers);

  // Queries read one encoding a layer, all at `encoding_places`.
  torch::Tensor forward(torch::Tensor queries, const torch::Tensor& places, const std::vector<torch::Tensor>& encodings,
                        const torch::Tensor& encoding_places);

  // Tokens, of which the first `context` are read by all.
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& places, std::int64_t context);

  // Tokens see each other.
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& places);

 private:
  std::vector<std::shared_ptr<RelativeLayer>> layers_;
};

}  // namespace cmanp::training

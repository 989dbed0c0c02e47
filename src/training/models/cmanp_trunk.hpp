// CMANP: a stack of constant memory attention blocks between context and query side. A context can be taken in at once,
// in chunks, or point by point for ever.
#pragma once

#include <memory>
#include <vector>

#include "training/models/perceiver_trunk.hpp"
#include "training/modules/cmab.hpp"

namespace cmanp::training {

class CmanpTrunk : public PerceiverTrunk {
 public:
  using State = CmabEncoder::State;

  CmanpTrunk(torch::nn::Module& owner, const ModelConfig& config);

  State empty_state() const { return encoder_->empty_state(); }

  // Takes in points [B, m, ·], in chunks of CMAB_block_size: embeds a chunk, absorbs it into every block, forgets it.
  void observe(State& state, const torch::Tensor& x, const torch::Tensor& y);

  // The latents of every block for a state of `tasks` contexts.
  std::vector<torch::Tensor> latents(const State& state, std::int64_t tasks);

 private:
  std::vector<torch::Tensor> encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) override;
  torch::Tensor input_latents(std::int64_t tasks) const { return latents_.expand({tasks, -1, -1}); }

  torch::Tensor latents_;  // [num_latents, latent_dim]
  std::shared_ptr<CmabEncoder> encoder_;
};

}  // namespace cmanp::training

// CMANP: a stack of constant memory attention blocks between context and query side. A context can be taken in at once,
// in chunks, or point by point for ever.
#pragma once

#include <memory>
#include <vector>

#include "training/models/context_reader.hpp"
#include "training/models/perceiver_trunk.hpp"
#include "training/modules/cmab.hpp"

namespace cmanp::training {

class CmanpTrunk : public PerceiverTrunk, public ContextReader {
 public:
  CmanpTrunk(torch::nn::Module& owner, const ModelConfig& config);

  using PerceiverTrunk::encode;

  State empty_state() const override { return encoder_->empty_state(); }
  torch::Tensor encode(const State& state, const torch::Tensor& xt) override {
    return decode(xt, latents(state, xt.size(0)));
  }

  // The latents of every block for a state of `tasks` contexts.
  std::vector<torch::Tensor> latents(const State& state, std::int64_t tasks);

 private:
  void absorb(State& state, const torch::Tensor& x, const torch::Tensor& y) override;
  std::vector<torch::Tensor> encode_context(const torch::Tensor& xc, const torch::Tensor& yc, Mode mode) override;
  torch::Tensor input_latents(std::int64_t tasks) const { return latents_.expand({tasks, -1, -1}); }

  torch::Tensor latents_;  // [num_latents, latent_dim]
  std::shared_ptr<CmabEncoder> encoder_;
};

}  // namespace cmanp::training

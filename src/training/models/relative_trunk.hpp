// CMANP in relative coordinates: contents know no x but what is no place; places enter attentions as differences.
// Latents lie on a grid over the model's range of x, and over more where a batch reaches farther; it is drawn anew each
// training step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "training/models/context_reader.hpp"
#include "training/models/trunk.hpp"
#include "training/modules/grid.hpp"
#include "training/modules/mlp.hpp"
#include "training/modules/relative_cmab.hpp"

namespace cmanp::training {

RelativeShape relative_shape(const ModelConfig& config);

class RelativeTrunk : public Trunk, public ContextReader {
 public:
  RelativeTrunk(torch::nn::Module& owner, const ModelConfig& config);

  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;
  bool accepts_empty_context() const override { return true; }
  void start_step(RandomSource& random) override { shares_ = random.uniform(2 * config_.axes()); }

  State empty_state() const override { return encoder_->empty_state(); }
  torch::Tensor encode(const State& state, const torch::Tensor& xt) override;

 private:
  Box box() const;
  Box covering(const torch::Tensor& xc, const torch::Tensor& xt) const;
  Grid grid() const { return Grid::over(covered_.value_or(box()), config_.spacing); }
  torch::Tensor known_of(const torch::Tensor& x, const torch::Tensor& like) const;
  torch::Tensor embed_points(const torch::Tensor& x, const torch::Tensor& y) const;
  torch::Tensor embed_targets(const torch::Tensor& xt) const;
  torch::Tensor input_latents(std::int64_t tasks, std::int64_t count) const {
    return latents_.expand({tasks, count, -1});
  }
  void absorb(State& state, const torch::Tensor& x, const torch::Tensor& y) override;
  torch::Tensor decode(const torch::Tensor& xt, const std::vector<torch::Tensor>& encodings, const Grid& grid,
                       const torch::Tensor& places);

  const ModelConfig& config_;
  std::shared_ptr<Mlp> embedder_, query_embedder_;  // the latter where contents know something of x
  torch::Tensor latents_, query_latents_;           // [1, d_model]; the latter a target's content where they have none
  std::shared_ptr<RelativeCmabEncoder> encoder_;
  std::shared_ptr<RelativeStack> decoder_;
  torch::nn::LayerNorm norm_{nullptr};
  torch::Tensor shares_;        // that decide about this training step's grid
  std::optional<Box> covered_;  // what is evaluated now
};

}  // namespace cmanp::training

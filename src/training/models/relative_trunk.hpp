// Models in relative coordinates: contents know no x but what is no place; places enter attentions as differences.
// Where there are latents, they lie on a grid over the model's range of x, and over more where a batch reaches farther;
// it is drawn anew each training step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "training/models/context_reader.hpp"
#include "training/models/trunk.hpp"
#include "training/modules/grid.hpp"
#include "training/modules/mlp.hpp"
#include "training/modules/relative_cmab.hpp"
#include "training/modules/relative_latent_encoder.hpp"

namespace cmanp::training {

RelativeShape relative_shape(const ModelConfig& config);

// What they share: tokens of points and targets, and where places are told from.
class RelativePoints : public Trunk {
 public:
  bool accepts_empty_context() const override { return true; }
  void start_step(RandomSource& random) override { shares_ = random.uniform(2 * config_.axes()); }

 protected:
  RelativePoints(torch::nn::Module& owner, const ModelConfig& config);
  void register_norm(torch::nn::Module& owner);  // behind all other parts

  const ModelConfig& config() const { return config_; }
  Box box() const;
  Box covering(const torch::Tensor& xc, const torch::Tensor& xt) const;
  Grid grid_of(const torch::Tensor& xc, const torch::Tensor& xt, Mode mode) const;
  torch::Tensor embed_points(const torch::Tensor& x, const torch::Tensor& y) const;
  torch::Tensor embed_targets(const torch::Tensor& xt) const;
  torch::Tensor normalised(const torch::Tensor& tokens) const;
  const torch::Tensor& like() const { return norm_->weight; }  // of the type that places are told in

 private:
  torch::Tensor known_of(const torch::Tensor& x, const torch::Tensor& like) const;

  const ModelConfig& config_;
  std::shared_ptr<Mlp> embedder_, query_embedder_;  // the latter where contents know something of x
  torch::Tensor query_latents_;                     // [1, d_model]: a target's content where they have none
  torch::nn::LayerNorm norm_{nullptr};
  torch::Tensor shares_;  // that decide about this training step's grid
};

// And those whose targets read what latents on a grid have seen.
class RelativeGridTrunk : public RelativePoints {
 protected:
  RelativeGridTrunk(torch::nn::Module& owner, const ModelConfig& config);
  void register_decoder(torch::nn::Module& owner);

  torch::Tensor input_latents(std::int64_t tasks, std::int64_t count) const {
    return latents_.expand({tasks, count, -1});
  }
  torch::Tensor decode(const torch::Tensor& xt, const std::vector<torch::Tensor>& encodings, const Grid& grid,
                       const torch::Tensor& places) const;

  // All at once: latents read the context, and targets read them.
  template <class Encoder>
  torch::Tensor encode_by(Encoder& encoder, const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                          Mode mode) const {
    const Grid grid = grid_of(xc, xt, mode);
    const torch::Tensor places = grid.places(like());
    const torch::Tensor latents = input_latents(xc.size(0), places.size(1));
    return decode(xt, encoder.forward(latents, places, embed_points(xc, yc), grid.places_of(xc, like())), grid, places);
  }

 private:
  torch::Tensor latents_;  // [1, d_model]
  std::shared_ptr<RelativeStack> decoder_;
};

// CMANP.
class RelativeTrunk : public RelativeGridTrunk, public ContextReader {
 public:
  RelativeTrunk(torch::nn::Module& owner, const ModelConfig& config);

  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;

  State empty_state() const override { return encoder_->empty_state(); }
  torch::Tensor encode(const State& state, const torch::Tensor& xt) override;

 private:
  Grid grid() const { return Grid::over(covered_.value_or(box()), config().spacing); }
  void absorb(State& state, const torch::Tensor& x, const torch::Tensor& y) override;

  std::shared_ptr<RelativeCmabEncoder> encoder_;
  std::optional<Box> covered_;  // what is evaluated now
};

// LBANP.
class RelativeLbanpTrunk : public RelativeGridTrunk {
 public:
  RelativeLbanpTrunk(torch::nn::Module& owner, const ModelConfig& config);

  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;

 private:
  std::shared_ptr<RelativeLatentEncoder> encoder_;
};

// TNP: no latents; context points and targets all read the context.
class RelativeTnpTrunk : public RelativePoints {
 public:
  RelativeTnpTrunk(torch::nn::Module& owner, const ModelConfig& config);

  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;
  torch::Tensor encode_all(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;

 private:
  std::shared_ptr<RelativeStack> encoder_;
};

// Either form of a model: by its coordinates.
template <class Absolute, class Relative>
std::unique_ptr<Trunk> make_placed_trunk(torch::nn::Module& owner, const ModelConfig& config) {
  if (config.coordinates == Coordinates::relative) return std::make_unique<Relative>(owner, config);
  return std::make_unique<Absolute>(owner, config);
}

}  // namespace cmanp::training

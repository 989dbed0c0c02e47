#include "training/models/relative_trunk.hpp"

#include <algorithm>

#include "training/models/perceiver_trunk.hpp"

namespace cmanp::training {

using torch::Tensor;

RelativeShape relative_shape(const ModelConfig& config) {
  return {sub_layer_shape(config), config.axes(), config.spacing, config.longest_length};
}

RelativeTrunk::RelativeTrunk(torch::nn::Module& owner, const ModelConfig& config) : config_(config) {
  const std::int64_t d = config.d_model, known = config.absolute_features ? config.features_x() : config.features;
  const RelativeShape shape = relative_shape(config);
  embedder_ = owner.register_module("embedder", std::make_shared<Mlp>(known + config.dim_y, d, d, config.emb_depth));
  if (known > 0) {
    query_embedder_ = owner.register_module("query_embedder", std::make_shared<Mlp>(known, d, d, config.emb_depth));
  } else {
    query_latents_ = owner.register_parameter("query_latents", torch::zeros({1, d}));
  }
  latents_ = owner.register_parameter("latents", torch::zeros({1, d}));
  encoder_ = owner.register_module("encoder", std::make_shared<RelativeCmabEncoder>(shape, config.num_layers));
  decoder_ =
      owner.register_module("decoder", std::make_shared<RelativeStack>(shape, Attends::to_others, config.num_layers));
  norm_ = owner.register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({d})));
  shares_ = torch::zeros({2 * config.axes()}, torch::kFloat64);
}

Box RelativeTrunk::box() const {
  const auto axes = static_cast<std::size_t>(config_.axes());
  return {std::vector<double>(axes, config_.range_low), std::vector<double>(axes, config_.range_high)};
}

// The model's own range, as far as that has all of them.
Box RelativeTrunk::covering(const Tensor& xc, const Tensor& xt) const {
  Box all = box();
  for (const Tensor& x : {xc, xt}) {
    if (x.numel() == 0) continue;
    const Tensor low = x.detach().amin({0, 1}).to(torch::kCPU, torch::kFloat64);
    const Tensor high = x.detach().amax({0, 1}).to(torch::kCPU, torch::kFloat64);
    for (std::size_t axis = 0; axis < all.low.size(); ++axis) {
      all.low[axis] = std::min(all.low[axis], low.data_ptr<double>()[axis]);
      all.high[axis] = std::max(all.high[axis], high.data_ptr<double>()[axis]);
    }
  }
  return all;
}

// What of x is in contents: with absolute features all of it, else what is no place.
Tensor RelativeTrunk::known_of(const Tensor& x, const Tensor& like) const {
  if (config_.absolute_features) return position_features(x.to(like.options()), config_.fourier_features);
  return x.narrow(-1, config_.axes(), config_.features).to(like.options());
}

Tensor RelativeTrunk::embed_points(const Tensor& x, const Tensor& y) const {
  if (!query_embedder_) return embedder_->forward(y);
  return embedder_->forward(torch::cat({known_of(x, y), y}, -1));
}

Tensor RelativeTrunk::embed_targets(const Tensor& xt) const {
  if (!query_embedder_) return query_latents_.expand({xt.size(0), xt.size(1), -1});
  return query_embedder_->forward(known_of(xt, latents_));
}

Tensor RelativeTrunk::decode(const Tensor& xt, const std::vector<Tensor>& encodings, const Grid& grid,
                             const Tensor& places) {
  return norm_(decoder_->forward(embed_targets(xt), grid.places_of(xt, latents_), encodings, places));
}

Tensor RelativeTrunk::encode(const Tensor& xc, const Tensor& yc, const Tensor& xt, Mode mode) {
  if (mode == Mode::evaluation) {
    covered_ = covering(xc, xt);
    State state = empty_state();
    observe(state, xc, yc, config_.CMAB_block_size);
    const Tensor encoded = encode(state, xt);
    covered_.reset();
    return encoded;
  }
  const Grid drawn = Grid::drawn(covering(xc, xt), config_.spacing, shares_);
  const Tensor places = drawn.places(latents_);
  return decode(xt,
                encoder_->forward(input_latents(xc.size(0), places.size(1)), places, embed_points(xc, yc),
                                  drawn.places_of(xc, latents_)),
                drawn, places);
}

void RelativeTrunk::absorb(State& state, const Tensor& x, const Tensor& y) {
  const Grid at = grid();
  encoder_->absorb(state, at.places(latents_), embed_points(x, y), at.places_of(x, latents_));
}

Tensor RelativeTrunk::encode(const State& state, const Tensor& xt) {
  const Grid at = grid();
  const Tensor places = at.places(latents_);
  return decode(xt, encoder_->forward(input_latents(xt.size(0), places.size(1)), places, state), at, places);
}

}  // namespace cmanp::training

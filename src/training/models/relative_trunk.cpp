#include "training/models/relative_trunk.hpp"

#include <algorithm>

#include "training/models/perceiver_trunk.hpp"

namespace cmanp::training {

using torch::Tensor;

RelativeShape relative_shape(const ModelConfig& config) {
  return {sub_layer_shape(config), config.axes(), config.spacing, config.longest_length};
}

RelativePoints::RelativePoints(torch::nn::Module& owner, const ModelConfig& config) : config_(config) {
  const std::int64_t d = config.d_model, known = config.absolute_features ? config.features_x() : config.features;
  embedder_ = owner.register_module("embedder", std::make_shared<Mlp>(known + config.dim_y, d, d, config.emb_depth));
  if (known > 0) {
    query_embedder_ = owner.register_module("query_embedder", std::make_shared<Mlp>(known, d, d, config.emb_depth));
  } else {
    query_latents_ = owner.register_parameter("query_latents", torch::zeros({1, d}));
  }
  shares_ = torch::zeros({2 * config.axes()}, torch::kFloat64);
}

void RelativePoints::register_norm(torch::nn::Module& owner) {
  norm_ = owner.register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config_.d_model})));
}

Box RelativePoints::box() const {
  const auto axes = static_cast<std::size_t>(config_.axes());
  return {std::vector<double>(axes, config_.range_low), std::vector<double>(axes, config_.range_high)};
}

// The model's own range, as far as that has all of them.
Box RelativePoints::covering(const Tensor& xc, const Tensor& xt) const {
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

// Evaluation has the grid over what there is, training one that is drawn.
Grid RelativePoints::grid_of(const Tensor& xc, const Tensor& xt, Mode mode) const {
  const Box all = covering(xc, xt);
  return mode == Mode::training ? Grid::drawn(all, config_.spacing, shares_) : Grid::over(all, config_.spacing);
}

// What of x is in contents: with absolute features all of it, else what is no place.
Tensor RelativePoints::known_of(const Tensor& x, const Tensor& like) const {
  if (config_.absolute_features) return position_features(x.to(like.options()), config_.fourier_features);
  return x.narrow(-1, config_.axes(), config_.features).to(like.options());
}

Tensor RelativePoints::embed_points(const Tensor& x, const Tensor& y) const {
  if (!query_embedder_) return embedder_->forward(y);
  return embedder_->forward(torch::cat({known_of(x, y), y}, -1));
}

Tensor RelativePoints::embed_targets(const Tensor& xt) const {
  if (!query_embedder_) return query_latents_.expand({xt.size(0), xt.size(1), -1});
  return query_embedder_->forward(known_of(xt, like()));
}

Tensor RelativePoints::normalised(const Tensor& tokens) const {
  torch::nn::LayerNorm norm = norm_;  // a handle; calling it is not const
  return norm(tokens);
}

RelativeGridTrunk::RelativeGridTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : RelativePoints(owner, config), latents_(owner.register_parameter("latents", torch::zeros({1, config.d_model}))) {}

void RelativeGridTrunk::register_decoder(torch::nn::Module& owner) {
  decoder_ = owner.register_module(
      "decoder", std::make_shared<RelativeStack>(relative_shape(config()), Attends::to_others, config().num_layers));
  register_norm(owner);
}

Tensor RelativeGridTrunk::decode(const Tensor& xt, const std::vector<Tensor>& encodings, const Grid& grid,
                                 const Tensor& places) const {
  return normalised(decoder_->forward(embed_targets(xt), grid.places_of(xt, like()), encodings, places));
}

RelativeTrunk::RelativeTrunk(torch::nn::Module& owner, const ModelConfig& config) : RelativeGridTrunk(owner, config) {
  encoder_ = owner.register_module("encoder",
                                   std::make_shared<RelativeCmabEncoder>(relative_shape(config), config.num_layers));
  register_decoder(owner);
}

Tensor RelativeTrunk::encode(const Tensor& xc, const Tensor& yc, const Tensor& xt, Mode mode) {
  if (mode == Mode::evaluation) {
    covered_ = covering(xc, xt);
    State state = empty_state();
    observe(state, xc, yc, config().CMAB_block_size);
    const Tensor encoded = encode(state, xt);
    covered_.reset();
    return encoded;
  }
  return encode_by(*encoder_, xc, yc, xt, mode);
}

void RelativeTrunk::absorb(State& state, const Tensor& x, const Tensor& y) {
  const Grid at = grid();
  encoder_->absorb(state, at.places(like()), embed_points(x, y), at.places_of(x, like()));
}

Tensor RelativeTrunk::encode(const State& state, const Tensor& xt) {
  const Grid at = grid();
  const Tensor places = at.places(like());
  return decode(xt, encoder_->forward(input_latents(xt.size(0), places.size(1)), places, state), at, places);
}

RelativeLbanpTrunk::RelativeLbanpTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : RelativeGridTrunk(owner, config) {
  encoder_ = owner.register_module("encoder",
                                   std::make_shared<RelativeLatentEncoder>(relative_shape(config), config.num_layers));
  register_decoder(owner);
}

Tensor RelativeLbanpTrunk::encode(const Tensor& xc, const Tensor& yc, const Tensor& xt, Mode mode) {
  return encode_by(*encoder_, xc, yc, xt, mode);
}

// Without a setting of its own, the sub-layers' residual is that of TNP's transformer.
RelativeTnpTrunk::RelativeTnpTrunk(torch::nn::Module& owner, const ModelConfig& config)
    : RelativePoints(owner, config) {
  RelativeShape shape = relative_shape(config);
  shape.layer.residual = Residual::plain;
  encoder_ =
      owner.register_module("encoder", std::make_shared<RelativeStack>(shape, Attends::to_context, config.num_layers));
  register_norm(owner);
}

Tensor RelativeTnpTrunk::encode_all(const Tensor& xc, const Tensor& yc, const Tensor& xt) {
  const Grid origin = Grid::over(covering(xc, xt), config().spacing);
  const Tensor tokens = torch::cat({embed_points(xc, yc), embed_targets(xt)}, 1);
  const Tensor places = origin.places_of(torch::cat({xc, xt}, 1), like());
  return normalised(encoder_->forward(tokens, places, xc.size(1)));
}

Tensor RelativeTnpTrunk::encode(const Tensor& xc, const Tensor& yc, const Tensor& xt, Mode) {
  return encode_all(xc, yc, xt).narrow(1, xc.size(1), xt.size(1));
}

}  // namespace cmanp::training

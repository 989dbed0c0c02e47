#include "training/modules/relative_cmab.hpp"

#include "training/modules/layer_list.hpp"

namespace cmanp::training {

using torch::Tensor;

RelativeCmab::RelativeCmab(const RelativeShape& shape) {
  const auto attention = [&](const char* name, Attends attends) {
    return register_module(name, std::make_shared<RelativeAttention>(shape, attends));
  };
  const auto feed_forward = [&](const char* name) {
    return register_module(name, std::make_shared<PreNormFeedForward>(shape.layer.inner, shape.layer));
  };
  latents_ = register_parameter("latents", torch::zeros({1, shape.layer.inner}));
  layer_cross_attn_ = attention("layer_cross_attn", Attends::to_context);
  layer_cross_ff_ = feed_forward("layer_cross_ff");
  layer_latent_self_attn_ = attention("layer_latent_self_attn", Attends::to_itself);
  layer_latent_ff_ = feed_forward("layer_latent_ff");
  cross_attn_ = attention("cross_attn", Attends::to_others);
  cross_ff_ = feed_forward("cross_ff");
  latent_self_attn_ = attention("latent_self_attn", Attends::to_itself);
  latent_ff_ = feed_forward("latent_ff");
}

Tensor RelativeCmab::forward(const Tensor& input_latents, const Tensor& grid, const Tensor& context,
                             const Tensor& places) {
  return rest(input_latents, grid, layer_cross_attn_->forward(own_latents(grid), grid, context, places));
}

AttentionState RelativeCmab::absorb(const AttentionState& state, const Tensor& grid, const Tensor& chunk,
                                    const Tensor& places) {
  return layer_cross_attn_->absorb(state, own_latents(grid), grid, chunk, places);
}

Tensor RelativeCmab::forward(const Tensor& input_latents, const Tensor& grid, const AttentionState& state) {
  const Tensor own = layer_cross_attn_->finish(own_latents(grid), grid, state);
  return rest(input_latents, grid, own.expand({input_latents.size(0), -1, -1}));
}

Tensor RelativeCmab::rest(const Tensor& input_latents, const Tensor& grid, Tensor own) {
  own = layer_cross_ff_->forward(own);
  own = layer_latent_self_attn_->forward(own, grid);
  own = layer_latent_ff_->forward(own);
  Tensor latents = cross_attn_->forward(input_latents, grid, own, grid);
  latents = cross_ff_->forward(latents);
  latents = latent_self_attn_->forward(latents, grid);
  return latent_ff_->forward(latents);
}

RelativeCmabEncoder::RelativeCmabEncoder(const RelativeShape& shape, std::int64_t blocks)
    : blocks_(register_layers<RelativeCmab>(*this, blocks, shape)) {}

std::vector<Tensor> RelativeCmabEncoder::forward(Tensor latents, const Tensor& grid, const Tensor& context,
                                                 const Tensor& places) {
  std::vector<Tensor> all;
  for (const auto& block : blocks_) all.push_back(latents = block->forward(latents, grid, context, places));
  return all;
}

std::vector<Tensor> RelativeCmabEncoder::forward(Tensor latents, const Tensor& grid, const State& state) {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    all.push_back(latents = blocks_[i]->forward(latents, grid, state[i]));
  }
  return all;
}

void RelativeCmabEncoder::absorb(State& state, const Tensor& grid, const Tensor& chunk, const Tensor& places) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) state[i] = blocks_[i]->absorb(state[i], grid, chunk, places);
}

RelativeLayer::RelativeLayer(const RelativeShape& shape, Attends attends) {
  const bool itself = attends == Attends::to_itself;
  attention_ =
      register_module(itself ? "self_attn" : "cross_attn", std::make_shared<RelativeAttention>(shape, attends));
  feed_forward_ =
      register_module(itself ? "ff" : "cross_ff", std::make_shared<PreNormFeedForward>(shape.layer.inner, shape.layer));
}

Tensor RelativeLayer::forward(const Tensor& x, const Tensor& places) {
  return feed_forward_->forward(attention_->forward(x, places));
}

Tensor RelativeLayer::forward(const Tensor& x, const Tensor& places, const Tensor& context,
                              const Tensor& context_places) {
  return feed_forward_->forward(attention_->forward(x, places, context, context_places));
}

RelativeStack::RelativeStack(const RelativeShape& shape, Attends attends, std::int64_t layers)
    : layers_(register_layers<RelativeLayer>(*this, layers, shape, attends)) {}

Tensor RelativeStack::forward(Tensor queries, const Tensor& places, const std::vector<Tensor>& encodings,
                              const Tensor& encoding_places) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    queries = layers_[i]->forward(queries, places, encodings[i], encoding_places);
  }
  return queries;
}

Tensor RelativeStack::forward(Tensor x, const Tensor& places, std::int64_t context) {
  const Tensor context_places = places.narrow(1, 0, context);
  for (const auto& layer : layers_) x = layer->forward(x, places, x.narrow(1, 0, context), context_places);
  return x;
}

Tensor RelativeStack::forward(Tensor x, const Tensor& places) {
  for (const auto& layer : layers_) x = layer->forward(x, places);
  return x;
}

}  // namespace cmanp::training

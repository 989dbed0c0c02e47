#include "runtime/encoder.hpp"

#include <algorithm>

namespace cmanp::runtime {
namespace {

using kernels::padded;

// The largest scratch of any sub-layer: every block has the same shapes.
std::size_t layer_scratch(const Weights& weights) {
  const Block& block = weights.blocks.front();
  const std::size_t own = weights.config.num_latents_per_layer, input = weights.config.num_latents;
  return std::max({block.own_feed_forward_1.scratch(), block.own_self.self_scratch(own), block.cross.cross_scratch(own),
                   block.feed_forward_1.scratch(), block.self.self_scratch(input)});
}

// Keys and values of rows that are first normalised.
void keys_of(const kernels::AttentionLayer& layer, const kernels::Norm& plain, const float* rows, std::size_t count,
             const EncodeSpace& space, float* transposed, float* values) {
  const std::size_t ld = padded(plain.width);
  kernels::layer_norm(plain, rows, ld, count, space.normal, ld);
  kernels::transpose_to_panels(space.normal, ld, count, plain.width, space.panels);
  kernels::project_keys(layer, space.normal, ld, space.panels, count, transposed, values);
}

}  // namespace

EncodeSpace::EncodeSpace(const Weights& weights, kernels::Cursor& cursor) {
  const Config& config = weights.config;
  const std::size_t own_size = config.num_latents_per_layer * padded(config.layer_latent_dim);
  const std::size_t input_size = config.num_latents * padded(config.latent_dim);
  own = cursor.take(own_size);
  attended = cursor.take(config.num_latents_per_layer * weights.heads().padded_inner());
  latents = cursor.take(input_size);
  normal = cursor.take(std::max(own_size, input_size));
  panels = cursor.take(std::max(padded(config.num_latents_per_layer) * config.layer_latent_dim,
                                padded(config.num_latents) * config.latent_dim));
  transposed = cursor.take(kernels::keys_size(weights.heads(), config.num_latents_per_layer));
  values = cursor.take(kernels::values_size(weights.heads(), config.num_latents_per_layer));
  layer = cursor.take(layer_scratch(weights));
}

void encode_block(const Weights& weights, std::size_t number, const kernels::AttentionState& state,
                  const EncodeSpace& space) {
  const Config& config = weights.config;
  const Block& block = weights.blocks[number];
  const std::size_t own_count = config.num_latents_per_layer, count = config.num_latents;
  const std::size_t ld_own = padded(config.layer_latent_dim), ld_inner = weights.heads().padded_inner();
  if (number == 0) std::copy(weights.latents.begin(), weights.latents.end(), space.latents);
  // Phase 1: the context, through the state, into the block's own latents.
  state.read(space.attended, ld_inner);
  std::copy(block.context.base.begin(), block.context.base.end(), space.own);
  kernels::linear(block.context.layer.output, space.attended, ld_inner, own_count, space.own, ld_own,
                  kernels::Into::add);
  kernels::feed_forward(block.own_feed_forward_1, config.residual, space.own, own_count, space.layer);
  kernels::self_attention(block.own_self, config.residual, space.own, own_count, space.layer);
  kernels::feed_forward(block.own_feed_forward_2, config.residual, space.own, own_count, space.layer);
  // Phase 2: the block's own latents into the input latents.
  keys_of(block.cross, weights.plain_own, space.own, own_count, space, space.transposed, space.values);
  kernels::cross_attention(block.cross, config.residual, space.latents, count,
                           {space.transposed, space.values, own_count}, space.layer);
  kernels::feed_forward(block.feed_forward_1, config.residual, space.latents, count, space.layer);
  kernels::self_attention(block.self, config.residual, space.latents, count, space.layer);
  kernels::feed_forward(block.feed_forward_2, config.residual, space.latents, count, space.layer);
}

void encode(const Weights& weights, const std::vector<kernels::AttentionState>& states, const EncodeSpace& space,
            std::vector<LayerKeys>& keys) {
  for (std::size_t b = 0; b < weights.blocks.size(); ++b) {
    encode_block(weights, b, states[b], space);
    keys_of(weights.decoder[b].cross, weights.plain_latent, space.latents, weights.config.num_latents, space,
            keys[b].transposed.data(), keys[b].values.data());
  }
}

}  // namespace cmanp::runtime

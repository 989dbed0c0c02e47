#include "runtime/work.hpp"

namespace cmanp::runtime {

std::size_t absorb_multiply_adds(const Weights& weights) {
  std::size_t sum = weights.embedder.multiply_adds(1);
  for (const Block& block : weights.blocks) {
    sum += block.context.layer.key_multiply_adds(1);
    sum += block.context.layer.score_multiply_adds(weights.config.num_latents_per_layer, 1);
  }
  return sum;
}

std::size_t refresh_multiply_adds(const Weights& weights) {
  const std::size_t own = weights.config.num_latents_per_layer, input = weights.config.num_latents;
  std::size_t sum = 0;
  for (const Block& block : weights.blocks) {
    sum += own * weights.heads().inner() * weights.config.layer_latent_dim;  // the context attention's output
    sum += block.own_feed_forward_1.multiply_adds(own) + block.own_feed_forward_2.multiply_adds(own);
    sum += block.own_self.key_multiply_adds(own) + block.own_self.query_multiply_adds(own, own);
    sum += block.cross.key_multiply_adds(own) + block.cross.query_multiply_adds(input, own);
    sum += block.feed_forward_1.multiply_adds(input) + block.feed_forward_2.multiply_adds(input);
    sum += block.self.key_multiply_adds(input) + block.self.query_multiply_adds(input, input);
  }
  for (const DecoderLayer& layer : weights.decoder) sum += layer.cross.key_multiply_adds(input);
  return sum;
}

std::size_t query_multiply_adds(const Weights& weights) {
  std::size_t sum = weights.query_embedder.multiply_adds(1);
  for (const DecoderLayer& layer : weights.decoder) {
    sum += layer.cross.query_multiply_adds(1, weights.config.num_latents) + layer.feed_forward.multiply_adds(1);
  }
  if (weights.predictor) sum += weights.predictor->multiply_adds(1);
  if (weights.joint) {
    sum += weights.joint->mean.multiply_adds(1) + weights.joint->projector.multiply_adds(1);
    for (const TransformerLayer& layer : weights.joint->layers) {
      sum += layer.attention.key_multiply_adds(1) + layer.feed_forward.multiply_adds(1);
    }
  }
  return sum;
}

}  // namespace cmanp::runtime

#include "runtime/work.hpp"

#include <algorithm>

namespace cmanp::runtime {
namespace {

// Keys that a query or point anywhere in a grid's range reads, of all that there are: of all heads, on average.
double read(const kernels::AttentionLayer&, const Layout&, std::size_t keys) { return static_cast<double>(keys); }
double read(const kernels::RelativeLayer& layer, const Layout& layout, std::size_t keys) {
  const double extent = layout.grid->extent();
  double share = 0;
  for (const float reach : layer.relative.reach) {
    const double beyond = 1 - std::min(1.0, static_cast<double>(reach) / extent);
    share += (1 - beyond * beyond) / static_cast<double>(layer.relative.reach.size());
  }
  return share * static_cast<double>(keys);
}

const kernels::AttentionLayer& plain(const kernels::AttentionLayer& layer) { return layer; }
const kernels::AttentionLayer& plain(const kernels::RelativeLayer& layer) { return layer.layer; }
const auto& context_layer(const Block& block) { return block.context.layer; }
const auto& context_layer(const RelativeBlock& block) { return block.context; }

// Scores and what they weigh, of some queries.
template <class Layer>
double attend(const Layer& layer, const Layout& layout, std::size_t rows, std::size_t keys) {
  return 2 * static_cast<double>(rows * plain(layer).heads.inner()) * read(layer, layout, keys);
}

// Projections of queries and output, and attention.
template <class Layer>
double query(const Layer& layer, const Layout& layout, std::size_t rows, std::size_t keys) {
  return 2 * static_cast<double>(rows * plain(layer).heads.inner() * plain(layer).width) +
         attend(layer, layout, rows, keys);
}

template <class Layer>
double make_keys(const Layer& layer, std::size_t rows) {
  return static_cast<double>(plain(layer).key_multiply_adds(rows));
}

// Of either coordinates' blocks.
template <class AnyBlock>
double absorb_blocks(const std::vector<AnyBlock>& blocks, const Layout& layout) {
  double sum = 0;
  for (const AnyBlock& block : blocks) {
    sum += make_keys(context_layer(block), 1) + attend(context_layer(block), layout, 1, layout.own_latents);
  }
  return sum;
}

template <class AnyBlock>
double refresh_blocks(const std::vector<AnyBlock>& blocks, const Layout& layout) {
  const std::size_t own = layout.own_latents, input = layout.latents;
  double sum = 0;
  for (const AnyBlock& block : blocks) {
    // The context attention's output, and feed-forwards.
    sum += static_cast<double>(own * plain(context_layer(block)).heads.inner() * plain(block.own_self).width);
    sum +=
        static_cast<double>(block.own_feed_forward_1.multiply_adds(own) + block.own_feed_forward_2.multiply_adds(own) +
                            block.feed_forward_1.multiply_adds(input) + block.feed_forward_2.multiply_adds(input));
    sum += make_keys(block.own_self, own) + query(block.own_self, layout, own, own);
    sum += make_keys(block.cross, own) + query(block.cross, layout, input, own);
    sum += make_keys(block.self, input) + query(block.self, layout, input, input);
  }
  return sum;
}

}  // namespace

double absorb_multiply_adds(const Weights& weights, const Layout& layout) {
  return static_cast<double>(weights.embedder.multiply_adds(1)) +
         (weights.relative ? absorb_blocks(weights.relative->blocks, layout) : absorb_blocks(weights.blocks, layout));
}

double refresh_multiply_adds(const Weights& weights, const Layout& layout) {
  double sum =
      weights.relative ? refresh_blocks(weights.relative->blocks, layout) : refresh_blocks(weights.blocks, layout);
  for (const DecoderLayer& layer : weights.decoder) sum += make_keys(layer.cross, layout.latents);
  if (!weights.relative) return sum;
  for (const auto& layer : weights.relative->decoder) sum += make_keys(layer.attention, layout.latents);
  return sum;
}

double query_multiply_adds(const Weights& weights, const Layout& layout) {
  std::size_t sum = weights.query_embedder.multiply_adds(1);
  double attention = 0;
  for (const DecoderLayer& layer : weights.decoder) {
    attention += query(layer.cross, layout, 1, layout.latents);
    sum += layer.feed_forward.multiply_adds(1);
  }
  if (weights.relative) {
    for (const RelativeDecoderLayer& layer : weights.relative->decoder) {
      attention += query(layer.attention, layout, 1, layout.latents);
      sum += layer.feed_forward.multiply_adds(1);
    }
  }
  if (weights.predictor) sum += weights.predictor->multiply_adds(1);
  if (weights.joint) {
    sum += weights.joint->mean.multiply_adds(1) + weights.joint->projector.multiply_adds(1);
    for (const TransformerLayer& layer : weights.joint->layers) {
      sum += layer.attention.key_multiply_adds(1) + layer.feed_forward.multiply_adds(1);
    }
    for (const RelativeDecoderLayer& layer : weights.joint->relative_layers) {
      sum += layer.attention.layer.key_multiply_adds(1) + layer.feed_forward.multiply_adds(1);
    }
  }
  return static_cast<double>(sum) + attention;
}

}  // namespace cmanp::runtime

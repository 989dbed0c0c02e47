// A model's weights, packed for the kernels: built once from a file, immutable, shared by every context.
#pragma once

#include <cmanp/model.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/attention_layer.hpp"
#include "kernels/feed_forward.hpp"
#include "kernels/relative_layer.hpp"
#include "runtime/mlp.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::runtime {

// Cross-attention of a block's own latents over the context. Its queries never change, so they are projected at load.
struct ContextAttention {
  kernels::AttentionLayer layer;   // without norm and query projection
  kernels::Buffer<float> queries;  // [latents][padded(inner)], scaled
  kernels::Buffer<float> base;     // [latents][padded(width)]: what the residual adds

  std::size_t bytes() const { return layer.bytes() + queries.bytes() + base.bytes(); }
};

// A constant memory attention block: phase 1 brings the context into the block's own latents, phase 2 these into the
// input latents.
struct Block {
  ContextAttention context;
  kernels::FeedForward own_feed_forward_1;
  kernels::AttentionLayer own_self;
  kernels::FeedForward own_feed_forward_2;
  kernels::AttentionLayer cross;
  kernels::FeedForward feed_forward_1;
  kernels::AttentionLayer self;
  kernels::FeedForward feed_forward_2;

  std::size_t bytes() const;
};

struct DecoderLayer {
  kernels::AttentionLayer cross;
  kernels::FeedForward feed_forward;

  std::size_t bytes() const { return cross.bytes() + feed_forward.bytes(); }
};

// A post-norm transformer layer: x = norm1(x + attention(x)); x = norm2(x + W2 relu(W1 x)).
struct TransformerLayer {
  kernels::AttentionLayer attention;
  kernels::Norm norm1;
  Mlp feed_forward;
  kernels::Norm norm2;

  std::size_t bytes() const { return attention.bytes() + norm1.bytes() + feed_forward.bytes() + norm2.bytes(); }
};

// Attention and a feed-forward in relative coordinates: a layer of the query side, or of targets that see each other.
struct RelativeDecoderLayer {
  kernels::RelativeLayer attention;
  kernels::FeedForward feed_forward;

  std::size_t bytes() const { return attention.bytes() + feed_forward.bytes(); }
};

// The not-diagonal head.
struct JointHead {
  Mlp mean;
  std::vector<TransformerLayer> layers;               // in absolute coordinates, and
  std::vector<RelativeDecoderLayer> relative_layers;  // in relative ones
  Mlp projector;
  std::optional<Mlp> diagonal;  // low rank only

  std::size_t bytes() const;
};

// A block in relative coordinates: its own latents are one vector at every place of a grid, so that their query is one
// as well, which the grid turns.
struct RelativeBlock {
  kernels::RelativeLayer context;  // without norm and query projection
  kernels::Buffer<float> query;    // [padded(inner)], scaled, at place zero
  kernels::Buffer<float> base;     // [padded(width)]: what the residual adds
  kernels::FeedForward own_feed_forward_1;
  kernels::RelativeLayer own_self;
  kernels::FeedForward own_feed_forward_2;
  kernels::RelativeLayer cross;
  kernels::FeedForward feed_forward_1;
  kernels::RelativeLayer self;
  kernels::FeedForward feed_forward_2;

  std::size_t bytes() const;
};

struct RelativeWeights {
  kernels::Buffer<float> latent;  // [padded(d)], at every place of the grid
  kernels::Buffer<float> target;  // [padded(d)], at every target; empty where targets have absolute features
  std::vector<RelativeBlock> blocks;
  std::vector<RelativeDecoderLayer> decoder;

  std::size_t bytes() const;
};

// How far the furthest-seeing head of any layer reads, in normalised units: latents to observations and to each other,
// and targets to latents.
struct Reaches {
  float context, latents, targets;
};
Reaches reaches(const RelativeWeights& weights);

struct Weights {
  Config config;
  Normalisation normalisation;
  std::string hash;
  std::size_t parameters = 0;

  Mlp embedder;
  Mlp query_embedder;              // without layers where targets are one vector each
  kernels::Buffer<float> latents;  // [num_latents][padded(latent_dim)]
  std::vector<Block> blocks;
  std::vector<DecoderLayer> decoder;
  kernels::Norm norm;
  std::optional<RelativeWeights> relative;  // then latents, blocks and decoder above are empty
  std::optional<Mlp> predictor;             // diagonal models
  std::optional<JointHead> joint;           // the others

  // Normalisation without scale and shift, for contexts whose affine part is folded into keys and values.
  kernels::Norm plain_token;   // width d_model
  kernels::Norm plain_own;     // layer_latent_dim
  kernels::Norm plain_latent;  // latent_dim

  kernels::Heads heads() const { return {config.nhead, config.head_dim()}; }
  std::size_t bytes() const;
};

// A model from named tensors; `name` stands for their file in messages. Throws Error on a missing, misshapen or
// not-finite one.
Weights build_weights(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors,
                      const std::string& name);

// Only what a stack of CMABs is made of (latents, blocks, plain norms), for models with tokens and heads of their own;
// and parts of such heads. The tensors' shapes are checked before.
Weights build_encoder(const Config& config, const files::TensorViews& tensors, const std::string& name);
Mlp build_mlp(const files::TensorViews& tensors, const std::string& name, const std::string& tensor, std::size_t depth);
kernels::Norm build_norm(const files::TensorViews& tensors, const std::string& name, const std::string& tensor);

// All but what both coordinates have alike: embedder, last norm, and heads' networks.
Weights build_relative(const Config& config, const files::TensorViews& tensors, const std::string& name);

// A tensor's values; throws Error where one is not finite.
std::vector<float> read_values(const files::TensorViews& tensors, const std::string& name, const std::string& tensor);

Model make_model(const ModelData& data);

}  // namespace cmanp::runtime

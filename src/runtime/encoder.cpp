#include "runtime/encoder.hpp"

#include <algorithm>

namespace cmanp::runtime {
namespace {

using kernels::padded;

// One thread's rows of one block: some of its own latents, some of the input latents.
class BlockRows {
 public:
  BlockRows(const Weights& weights, std::size_t block, const EncodeSpace& space, const Rows& own, const Rows& input,
            float* scratch)
      : weights_(weights),
        block_(weights.blocks[block]),
        own_{own, space.own + own.first * ld_own(), space.normal + own.first * ld_own(),
             space.panels + own.first * weights.config.layer_latent_dim},
        latents_{input, space.latents + input.first * ld_latent(), space.latent_normal + input.first * ld_latent(),
                 space.latent_panels + input.first * weights.config.latent_dim},
        attended_(space.attended + own.first * weights.heads().padded_inner()),
        scratch_(scratch) {}

  // Phase 1, the context: through the state into the block's own latents, and their keys for each other.
  void read_context(const kernels::AttentionState& state, const PassedKeys& to) const {
    const std::size_t ld = ld_own(), ld_inner = weights_.heads().padded_inner();
    const Rows& rows = own_.rows;
    state.read(rows.first, rows.last, attended_, ld_inner);
    std::copy_n(block_.context.base.data() + rows.first * ld, rows.count() * ld, own_.x);
    kernels::linear(block_.context.layer.output, attended_, ld_inner, rows.count(), own_.x, ld, kernels::Into::add);
    feed_forward(block_.own_feed_forward_1, own_);
    make_keys(block_.own_self, block_.own_self.norm, own_, to);
  }

  void attend_to_own(const PassedKeys& from, const PassedKeys& to) const {
    attend(block_.own_self, own_, view(from, weights_.config.num_latents_per_layer));
    feed_forward(block_.own_feed_forward_2, own_);
    make_keys(block_.cross, weights_.plain_own, own_, to);
  }

  // Phase 2: the block's own latents into the input latents.
  void read_own(const PassedKeys& from, const PassedKeys& to) const {
    kernels::cross_attention(block_.cross, weights_.config.residual, latents_.x, latents_.rows.count(),
                             view(from, weights_.config.num_latents_per_layer), scratch_);
    feed_forward(block_.feed_forward_1, latents_);
    make_keys(block_.self, block_.self.norm, latents_, to);
  }

  void attend_to_latents(const PassedKeys& from) const {
    attend(block_.self, latents_, view(from, weights_.config.num_latents));
    feed_forward(block_.feed_forward_2, latents_);
  }

  void make_decoder_keys(std::size_t layer, const PassedKeys& to) const {
    make_keys(weights_.decoder[layer].cross, weights_.plain_latent, latents_, to);
  }

 private:
  // From this thread's first on.
  struct Some {
    Rows rows;
    float *x, *normal, *panels;
  };

  std::size_t ld_own() const { return padded(weights_.config.layer_latent_dim); }
  std::size_t ld_latent() const { return padded(weights_.config.latent_dim); }

  static kernels::Keys view(const PassedKeys& keys, std::size_t count) { return {keys.keys, keys.values, count}; }

  void feed_forward(const kernels::FeedForward& layer, const Some& some) const {
    kernels::feed_forward(layer, weights_.config.residual, some.x, some.rows.count(), scratch_);
  }

  // Of rows that are first normalised.
  void make_keys(const kernels::AttentionLayer& layer, const kernels::Norm& norm, const Some& some,
                 const PassedKeys& to) const {
    const std::size_t ld = padded(norm.width), count = some.rows.count();
    kernels::layer_norm(norm, some.x, ld, count, some.normal, ld);
    kernels::make_keys(layer, some.normal, ld, count, some.panels, to.keys + some.rows.first * layer.heads.inner(),
                       to.values + some.rows.first * layer.heads.padded_inner());
  }

  // To each other, normalised as make_keys left them.
  void attend(const kernels::AttentionLayer& layer, const Some& some, const kernels::Keys& keys) const {
    kernels::normal_attention(layer, weights_.config.residual, some.normal, some.x, some.rows.count(), keys, scratch_);
  }

  const Weights& weights_;
  const Block& block_;
  Some own_, latents_;
  float* attended_;
  float* scratch_;
};

void start_latents(const Weights& weights, const EncodeSpace& space) {
  std::copy(weights.latents.begin(), weights.latents.end(), space.latents);
}

}  // namespace

// The largest of any sub-layer: every block has the same shapes.
std::size_t encode_layer_scratch(const Weights& weights) {
  const Block& block = weights.blocks.front();
  const std::size_t own = weights.config.num_latents_per_layer, input = weights.config.num_latents;
  return std::max({block.own_feed_forward_1.scratch(), block.own_self.cross_scratch(own),
                   block.cross.cross_scratch(own), block.feed_forward_1.scratch(), block.self.cross_scratch(input)});
}

EncodeSpace::EncodeSpace(const Weights& weights, kernels::Cursor& cursor) {
  const Config& config = weights.config;
  const std::size_t own_count = config.num_latents_per_layer, count = config.num_latents;
  const std::size_t own_size = own_count * padded(config.layer_latent_dim);
  const std::size_t input_size = count * padded(config.latent_dim);
  own = cursor.take(own_size);
  attended = cursor.take(own_count * weights.heads().padded_inner());
  latents = cursor.take(input_size);
  normal = cursor.take(own_size);
  panels = cursor.take(padded(own_count) * config.layer_latent_dim);
  latent_normal = cursor.take(input_size);
  latent_panels = cursor.take(padded(count) * config.latent_dim);
  for (PassedKeys& one : keys) {
    one.keys = cursor.take(kernels::keys_size(weights.heads(), std::max(own_count, count)));
    one.values = cursor.take(kernels::values_size(weights.heads(), std::max(own_count, count)));
  }
  layer = cursor.take(encode_layer_scratch(weights));
}

void encode_block(const Weights& weights, std::size_t number, const kernels::AttentionState& state,
                  const EncodeSpace& space) {
  if (number == 0) start_latents(weights, space);
  const BlockRows block(weights, number, space, {0, weights.config.num_latents_per_layer},
                        {0, weights.config.num_latents}, space.layer);
  block.read_context(state, space.keys[0]);
  block.attend_to_own(space.keys[0], space.keys[1]);
  block.read_own(space.keys[1], space.keys[0]);
  block.attend_to_latents(space.keys[0]);
}

void encode(const Weights& weights, const std::vector<kernels::AttentionState>& states, const EncodeSpace& space,
            const Crew& crew, std::vector<LayerKeys>& keys) {
  start_latents(weights, space);
  encode_in_stretches(
      weights.blocks.size(), crew, space.keys,
      [&](std::size_t block, std::size_t part, float* scratch) {
        return BlockRows(weights, block, space, crew.share(weights.config.num_latents_per_layer, part),
                         crew.share(weights.config.num_latents, part), scratch);
      },
      states, keys);
}

}  // namespace cmanp::runtime

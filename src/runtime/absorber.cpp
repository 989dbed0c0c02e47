#include "runtime/absorber.hpp"

#include "runtime/features.hpp"

namespace cmanp::runtime {

using kernels::padded;

TokenSpace::TokenSpace(const Weights& weights, std::size_t count, kernels::Cursor& cursor)
    : embedded(cursor.take(count * padded(weights.config.d_model))),
      panels(cursor.take(padded(count) * weights.config.d_model)),
      transposed(cursor.take(kernels::keys_size(weights.heads(), count))),
      values(cursor.take(kernels::values_size(weights.heads(), count))),
      scores(cursor.take(kernels::attention_scratch(count))) {}

AbsorbSpace::AbsorbSpace(const Weights& weights, kernels::Cursor& cursor)
    : features(cursor.take(kChunk * padded(weights.embedder.in()))),
      mlp(cursor.take(weights.embedder.scratch(kChunk))),
      tokens(weights, kChunk, cursor) {}

void attend_tokens(const Weights& weights, std::size_t count, const TokenSpace& space,
                   std::vector<kernels::AttentionChunk>& chunks) {
  const std::size_t d = weights.config.d_model;
  // Every block normalises the same embeddings; what differs, scale and shift, is in its keys' and values' weights.
  kernels::layer_norm(weights.plain_token, space.embedded, padded(d), count, space.embedded, padded(d));
  kernels::transpose_to_panels(space.embedded, padded(d), count, d, space.panels);
  for (std::size_t b = 0; b < weights.blocks.size(); ++b) {
    const ContextAttention& context = weights.blocks[b].context;
    kernels::project_keys(context.layer, space.embedded, padded(d), space.panels, count, space.transposed,
                          space.values);
    kernels::attend_unnormalised(weights.heads(), context.queries.data(), padded(d),
                                 weights.config.num_latents_per_layer, {space.transposed, space.values, count},
                                 chunks[b].max.data(), chunks[b].sum.data(), chunks[b].weighted.data(), space.scores);
  }
}

void summarise(const Weights& weights, const double* x, const double* y, std::size_t count, const AbsorbSpace& space,
               std::vector<kernels::AttentionChunk>& chunks) {
  const std::size_t ldf = padded(weights.embedder.in());
  write_features(weights, x, y, count, space.features, ldf);
  weights.embedder.run(space.features, ldf, count, space.tokens.embedded, space.mlp);
  attend_tokens(weights, count, space.tokens, chunks);
}

}  // namespace cmanp::runtime

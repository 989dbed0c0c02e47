#include "runtime/decoder.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/features.hpp"

namespace cmanp::runtime {

using kernels::padded;

namespace {

std::size_t layer_scratch(const Weights& weights, std::size_t latents) {
  if (weights.relative) {
    const RelativeDecoderLayer& front = weights.relative->decoder.front();
    return std::max(front.attention.cross_scratch(latents), front.feed_forward.scratch());
  }
  const DecoderLayer& front = weights.decoder.front();
  return std::max(front.cross.cross_scratch(latents), front.feed_forward.scratch());
}

}  // namespace

DecodeSpace::DecodeSpace(const Weights& weights, std::size_t latents, kernels::Cursor& cursor) {
  const bool embeds = !weights.query_embedder.layers.empty();
  features = cursor.take(embeds ? kTargets * padded(weights.query_embedder.in()) : 0);
  const std::size_t predictor = weights.predictor ? weights.predictor->scratch(kTargets) : 0;
  mlp = cursor.take(std::max(weights.query_embedder.scratch(kTargets), predictor));
  places = cursor.take(weights.relative ? kTargets * weights.config.axes() : 0);
  const std::size_t turns = weights.relative ? weights.relative->decoder.front().attention.relative.turns() : 0;
  cos = cursor.take(kTargets * turns);
  sin = cursor.take(kTargets * turns);
  sorted = cursor.take(weights.relative ? kTargets * padded(weights.config.d_model) : 0);
  layer = cursor.take(layer_scratch(weights, latents));
  answer = cursor.take(kTargets * padded(2 * weights.config.dim_y));
}

void decode(const Weights& weights, const std::vector<LayerKeys>& keys, const double* x, std::size_t count,
            const DecodeSpace& space, float* hidden) {
  const Config& config = weights.config;
  const std::size_t ldf = padded(weights.query_embedder.in()), ld = padded(config.d_model);
  write_features(weights, x, nullptr, count, space.features, ldf);
  weights.query_embedder.run(space.features, ldf, count, hidden, space.mlp);
  for (std::size_t i = 0; i < weights.decoder.size(); ++i) {
    const DecoderLayer& layer = weights.decoder[i];
    kernels::cross_attention(layer.cross, config.residual, hidden, count, keys[i].view(config.num_latents),
                             space.layer);
    kernels::feed_forward(layer.feed_forward, config.residual, hidden, count, space.layer);
  }
  kernels::layer_norm(weights.norm, hidden, ld, count, hidden, ld);
}

void diagonal_head(const Weights& weights, const float* hidden, std::size_t count, const DecodeSpace& space,
                   double* mean, double* std) {
  const std::size_t dy = weights.config.dim_y, ld = padded(2 * dy);
  const Normalisation& n = weights.normalisation;
  weights.predictor->run(hidden, padded(weights.config.d_model), count, space.answer, space.mlp);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < dy; ++c) {
      const double raw = static_cast<double>(space.answer[r * ld + dy + c]);
      // Softplus, as PyTorch has it: linear beyond 20.
      const double least = weights.config.least_std;
      const double deviation =
          weights.config.bound_std ? least + (1 - least) * (raw > 20 ? raw : std::log1p(std::exp(raw))) : std::exp(raw);
      mean[r * dy + c] = static_cast<double>(space.answer[r * ld + c]) * n.y_scale[c] + n.y_shift[c];
      std[r * dy + c] = deviation * n.y_scale[c];
    }
  }
}

}  // namespace cmanp::runtime

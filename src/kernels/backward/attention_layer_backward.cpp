#include "kernels/backward/attention_layer_backward.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/backward/products.hpp"

namespace cmanp::kernels {
namespace {

Heads spread(const Heads& heads) { return {heads.count, padded(heads.dim)}; }

// Rows of heads moved to where spread heads start, [inner][columns] from [heads * dim][columns], and scaled.
std::vector<float> spread_rows(const float* weights, const Heads& heads, std::size_t columns, float scale = 1.0f) {
  std::vector<float> result(spread(heads).inner() * columns, 0.0f);
  for (std::size_t h = 0; h < heads.count; ++h) {
    const float* from = weights + h * heads.dim * columns;
    float* to = result.data() + h * padded(heads.dim) * columns;
    for (std::size_t i = 0; i < heads.dim * columns; ++i) to[i] = scale * from[i];
  }
  return result;
}

// The same with heads in the columns, [rows][inner] from [rows][heads * dim].
std::vector<float> spread_columns(const float* weights, const Heads& heads, std::size_t rows) {
  std::vector<float> result(rows * spread(heads).inner(), 0.0f);
  for (std::size_t at = 0; at < rows * heads.count; ++at) {
    std::copy_n(weights + at * heads.dim, heads.dim, result.data() + at * padded(heads.dim));
  }
  return result;
}

}  // namespace

AttentionLayer pack_layer(const AttentionWeights& weights, Norm norm) {
  AttentionLayer::Raw raw;
  raw.query = weights.query;
  raw.key = weights.key_value;
  raw.value = weights.key_value + weights.heads.inner() * weights.context_width;
  raw.output = weights.output;
  raw.output_bias = weights.output_bias;
  return AttentionLayer::pack(raw, std::move(norm), weights.heads, weights.width, weights.context_width,
                              HeadLayout::on_panels);
}

AttentionBackwardPack AttentionBackwardPack::pack(const AttentionWeights& weights) {
  const Heads& heads = weights.heads;
  const std::size_t inner = spread(heads).inner();
  const float scale = 1.0f / std::sqrt(static_cast<float>(heads.dim));
  const auto from_heads = [&](const float* rows, std::size_t columns, float factor) {
    return Linear::pack_transposed(spread_rows(rows, heads, columns, factor).data(), inner, columns);
  };
  return {from_heads(weights.query, weights.width, scale), from_heads(weights.key_value, weights.context_width, 1.0f),
          from_heads(weights.key_value + heads.inner() * weights.context_width, weights.context_width, 1.0f),
          Linear::pack_transposed(spread_columns(weights.output, heads, weights.width).data(), weights.width, inner)};
}

AttentionGradient::AttentionGradient(const AttentionLayer& layer)
    : query(layer.heads.inner() * padded(layer.width)),
      key(layer.heads.inner() * padded(layer.context_width)),
      value(layer.heads.inner() * padded(layer.context_width)),
      output(layer.width * layer.heads.inner()),
      output_bias(padded(layer.width)) {}

KeySpace::KeySpace(const AttentionLayer& layer, std::size_t rows_, Cursor& cursor)
    : rows(rows_),
      context_panels(cursor.take(padded(rows) * layer.context_width)),
      keys_transposed(cursor.take(keys_size(layer.heads, rows))),
      values(cursor.take(values_size(layer.heads, rows))) {}

void KeySpace::make(const AttentionLayer& layer, const float* normal) const {
  make_keys(layer, normal, padded(layer.context_width), rows, context_panels, keys_transposed, values);
}

KeyBackwardSpace::KeyBackwardSpace(const AttentionLayer& layer, std::size_t rows, Cursor& cursor)
    : forward(layer, rows, cursor),
      keys(cursor.take(rows * layer.heads.inner())),
      values_transposed(cursor.take(keys_size(layer.heads, rows))) {}

void KeyBackwardSpace::make(const AttentionLayer& layer, const float* normal) const {
  forward.make(layer, normal);
  from(layer, forward.keys_transposed, forward.values);
}

KeysBackward KeyBackwardSpace::from(const AttentionLayer& layer, const float* kept_transposed,
                                    const float* kept_values) const {
  const std::size_t inner = layer.heads.inner();
  panels_to_rows(kept_transposed, forward.rows, inner, keys, inner);
  transpose_to_panels(kept_values, inner, forward.rows, inner, values_transposed);
  return {keys, kept_transposed, values_transposed, forward.rows};
}

AttentionUp::AttentionUp(const Heads& heads, std::size_t rows, std::size_t key_count, Cursor& cursor)
    : attended(cursor.take(rows * heads.inner())),
      q(cursor.take(rows * heads.inner())),
      keys(cursor.take(key_count * heads.inner())),
      values(cursor.take(key_count * heads.inner())) {}

void attention_backward(const AttentionLayer& layer, const AttentionBackwardPack& back, const float* q,
                        std::size_t rows, const KeysBackward& keys, const float* attended, const float* dy,
                        const AttentionUp& up, AttentionGradient& gradient, float* scratch) {
  const std::size_t inner = layer.heads.inner(), ld = padded(layer.width);
  linear(back.output, dy, ld, rows, up.attended, inner);
  add_transposed_product(dy, ld, layer.width, attended, inner, inner, rows, gradient.output.data(), inner);
  add_column_sums(dy, ld, ld, rows, gradient.output_bias.data());
  std::fill_n(up.keys, keys.count * inner, 0.0f);
  std::fill_n(up.values, keys.count * inner, 0.0f);
  attend_backward(layer.heads, q, rows, keys, up.attended, up.q, up.keys, up.values, scratch);
}

void queries_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const float* dq,
                      float* dnormal, AttentionGradient& gradient) {
  const std::size_t inner = back.query.in, ld = padded(back.query.out);
  add_transposed_product(dq, inner, inner, normal, ld, ld, rows, gradient.query.data(), ld);
  linear(back.query, dq, inner, rows, dnormal, ld, Into::add);
}

void keys_backward(const AttentionBackwardPack& back, const float* normal, std::size_t rows, const AttentionUp& up,
                   float* dnormal, AttentionGradient& gradient) {
  const std::size_t inner = back.key.in, ld = padded(back.key.out);
  add_transposed_product(up.keys, inner, inner, normal, ld, ld, rows, gradient.key.data(), ld);
  add_transposed_product(up.values, inner, inner, normal, ld, ld, rows, gradient.value.data(), ld);
  linear(back.key, up.keys, inner, rows, dnormal, ld, Into::add);
  linear(back.value, up.values, inner, rows, dnormal, ld, Into::add);
}

}  // namespace cmanp::kernels

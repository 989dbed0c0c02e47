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

std::vector<float> transposed(const std::vector<float>& matrix, std::size_t columns) {
  const std::size_t rows = matrix.size() / columns;
  std::vector<float> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
  }
  return result;
}

// The weights, spread: each [inner][columns], the output transposed.
struct Spread {
  explicit Spread(const AttentionWeights& w)
      : query(spread_rows(w.query, w.heads, w.width, 1.0f / std::sqrt(static_cast<float>(w.heads.dim)))),
        key(spread_rows(w.key_value, w.heads, w.context_width)),
        value(spread_rows(w.key_value + w.heads.inner() * w.context_width, w.heads, w.context_width)),
        output_transposed(spread_rows(
            transposed({w.output, w.output + w.width * w.heads.inner()}, w.heads.inner()).data(), w.heads, w.width)) {}

  std::vector<float> query, key, value, output_transposed;
};

Linear pack_rows(const std::vector<float>& weights, std::size_t in) {
  return Linear::pack(weights.data(), nullptr, weights.size() / in, in);
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
  const Spread s(weights);
  const std::size_t inner = spread(weights.heads).inner();
  return {pack_rows(transposed(s.query, weights.width), inner),
          pack_rows(transposed(s.key, weights.context_width), inner),
          pack_rows(transposed(s.value, weights.context_width), inner), pack_rows(s.output_transposed, weights.width)};
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
  const std::size_t inner = layer.heads.inner();
  forward.make(layer, normal);
  panels_to_rows(forward.keys_transposed, forward.rows, inner, keys, inner);
  transpose_to_panels(forward.values, inner, forward.rows, inner, values_transposed);
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

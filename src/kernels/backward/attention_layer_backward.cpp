#include "kernels/backward/attention_layer_backward.hpp"

#include <algorithm>
#include <cmath>
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

AttentionForwardPack AttentionForwardPack::pack(const AttentionWeights& weights) {
  const Spread s(weights);
  const Heads heads = spread(weights.heads);
  return {heads,
          weights.width,
          weights.context_width,
          pack_rows(s.query, weights.width),
          pack_rows(s.key, weights.context_width),
          pack_rows(s.value, weights.context_width),
          Linear::pack(transposed(s.output_transposed, weights.width).data(), weights.output_bias, weights.width,
                       heads.inner())};
}

AttentionBackwardPack AttentionBackwardPack::pack(const AttentionWeights& weights) {
  const Spread s(weights);
  const std::size_t inner = spread(weights.heads).inner();
  return {pack_rows(transposed(s.query, weights.width), inner),
          pack_rows(transposed(s.key, weights.context_width), inner),
          pack_rows(transposed(s.value, weights.context_width), inner), pack_rows(s.output_transposed, weights.width)};
}

AttentionGradient::AttentionGradient(const AttentionForwardPack& pack)
    : query(pack.heads.inner() * padded(pack.width)),
      key(pack.heads.inner() * padded(pack.context_width)),
      value(pack.heads.inner() * padded(pack.context_width)),
      output(pack.width * pack.heads.inner()),
      output_bias(padded(pack.width)) {}

KeySpace::KeySpace(const Heads& heads, std::size_t rows, Cursor& cursor)
    : keys(cursor.take(rows * heads.inner())),
      values(cursor.take(rows * heads.inner())),
      keys_transposed(cursor.take(padded(rows) * heads.inner())),
      values_transposed(cursor.take(padded(rows) * heads.inner())) {}

void make_keys(const AttentionForwardPack& pack, const float* normal, std::size_t rows, const KeySpace& space,
               bool backward) {
  const std::size_t inner = pack.heads.inner(), ld = padded(pack.context_width);
  linear(pack.key, normal, ld, rows, space.keys, inner);
  linear(pack.value, normal, ld, rows, space.values, inner);
  transpose_to_panels(space.keys, inner, rows, inner, space.keys_transposed);
  if (backward) transpose_to_panels(space.values, inner, rows, inner, space.values_transposed);
}

void attend_and_add(const AttentionForwardPack& pack, const float* q, std::size_t rows, const KeySpace& keys,
                    std::size_t key_count, float* attended, float* x, float* scratch) {
  const std::size_t inner = pack.heads.inner();
  attend(pack.heads, q, inner, rows, {keys.keys_transposed, keys.values, key_count}, attended, inner, scratch);
  linear(pack.output, attended, inner, rows, x, padded(pack.width), Into::add);
}

AttentionUp::AttentionUp(const Heads& heads, std::size_t rows, std::size_t key_count, Cursor& cursor)
    : attended(cursor.take(rows * heads.inner())),
      q(cursor.take(rows * heads.inner())),
      keys(cursor.take(key_count * heads.inner())),
      values(cursor.take(key_count * heads.inner())) {}

void attention_backward(const AttentionForwardPack& pack, const AttentionBackwardPack& back, const float* q,
                        std::size_t rows, const KeySpace& keys, std::size_t key_count, const float* attended,
                        const float* dy, const AttentionUp& up, AttentionGradient& gradient, float* scratch) {
  const std::size_t inner = pack.heads.inner(), ld = padded(pack.width);
  linear(back.output, dy, ld, rows, up.attended, inner);
  add_transposed_product(dy, ld, pack.width, attended, inner, inner, rows, gradient.output.data(), inner);
  add_column_sums(dy, ld, ld, rows, gradient.output_bias.data());
  std::fill_n(up.keys, key_count * inner, 0.0f);
  std::fill_n(up.values, key_count * inner, 0.0f);
  attend_backward(pack.heads, q, rows, {keys.keys, keys.keys_transposed, keys.values_transposed, key_count},
                  up.attended, up.q, up.keys, up.values, scratch);
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

#include "kernels/backward/relative_attention_backward.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/backward/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/relative_attention_backward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/backward/softmax_backward-inl.hpp"
#include "kernels/relative-inl.hpp"

#ifndef CMANP_KERNELS_RELATIVE_BACKWARD_ONCE
#define CMANP_KERNELS_RELATIVE_BACKWARD_ONCE
namespace cmanp::kernels {

// Queries whose probabilities and their gradient are in memory at once; a multiple of every row tile.
inline constexpr std::size_t kRelativeRows = 96;

// Of one task: gradients of the turned q, keys and values.
struct RelativeUp {
  const float* attended;    // [rows][inner], turned as queries are
  const float* mean;        // [heads][rows], the gradient of what was read times what was read
  float* null_share;        // [heads][rows], set: the null key's probability
  const AttentionUp& rest;  // q set, keys and values added to
};

}  // namespace cmanp::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// |p - p'|² of rows of queries and all keys, an axis of whose places starts every `stop`: what all heads ask for twice.
HWY_INLINE void squared_distances(const float* places, std::size_t rows, const float* key_places, std::size_t axes,
                                  std::size_t stop, float* distances) {
  const Floats d;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < stop; i += kLanes) {
      hn::StoreU(squared_distance(places + r * axes, key_places + i, axes, stop), d, distances + r * stop + i);
    }
  }
}

// As score_tile, of queries from row `first` on, whose distances are given.
HWY_INLINE void relative_score_tile(const RelativeHeads& relative, std::size_t head, const RelativeQueries& queries,
                                    std::size_t first, std::size_t rows, const float* keys_transposed,
                                    const float* distances, std::size_t keys, float* scores, float* max, float* sum) {
  const Floats d;
  const std::size_t size = rows * padded(keys);
  multiply_keys(relative.heads, head, queries.q + first * queries.ld, queries.ld, rows, keys_transposed, keys, scores);
  const FloatVec gamma = hn::Set(d, relative.gamma[head]);
  for (std::size_t i = 0; i < size; i += kLanes) {
    hn::StoreU(hn::NegMulAdd(gamma, hn::LoadU(d, distances + i), hn::LoadU(d, scores + i)), d, scores + i);
  }
  exponentiate_keys(rows, keys, nullptr, scores, max, sum);
}

// Over a row, its length a multiple of a vector's.
HWY_INLINE float inner_product(const float* one, const float* other, std::size_t count) {
  const Floats d;
  FloatVec sum = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += kLanes) sum = hn::MulAdd(hn::LoadU(d, one + i), hn::LoadU(d, other + i), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// of [rows][inner] times attended, summed over a head's features: [heads][rows].
void head_products_target(const Heads& heads, const float* of, const float* attended, std::size_t rows, float* sums) {
  for (std::size_t h = 0; h < heads.count; ++h) {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t at = r * heads.inner() + h * heads.dim;
      sums[h * rows + r] = inner_product(of + at, attended + at, heads.dim);
    }
  }
}

// domega += factor * the gradient of the angles that turned x [rows][inner] into what it is, given its gradient: with
// (a, b) turned by an angle, da/dangle = -b and db/dangle = a.
void add_angle_gradient_target(const RelativeHeads& relative, const float* places, std::size_t rows, const float* x,
                               const float* dx, float factor, float* domega) {
  const std::size_t inner = relative.heads.inner(), half = relative.half, width = relative.turns();
  const auto add = [&](auto d, const float* place, const float* a, const float* da, float* to) HWY_ATTR {
    const auto along = hn::Mul(hn::LoadU(d, a), hn::LoadU(d, da + half));
    const auto angle = hn::NegMulAdd(hn::LoadU(d, a + half), hn::LoadU(d, da), along);
    for (std::size_t axis = 0; axis < relative.axes; ++axis, to += width) {
      hn::StoreU(hn::MulAdd(hn::Set(d, factor * place[axis]), angle, hn::LoadU(d, to)), d, to);
    }
  };
  const hn::CappedTag<float, kPanel / 2> d;
  const hn::CappedTag<float, 1> one;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* place = places + r * relative.axes;
    for (std::size_t h = 0; h < relative.heads.count; ++h) {
      const std::size_t at = r * inner + h * relative.heads.dim;
      float* to = domega + h * half;
      std::size_t i = 0;
      for (; i + hn::Lanes(d) <= half; i += hn::Lanes(d)) add(d, place, x + at + i, dx + at + i, to + i);
      for (; i < half; ++i) add(one, place, x + at + i, dx + at + i, to + i);
    }
  }
}

void relative_backward_target(const RelativeHeads& relative, const RelativeQueries& queries, const KeysBackward& keys,
                              const float* key_places, const RelativeUp& up, float* dgamma, float* scratch) {
  const Heads& heads = relative.heads;
  const std::size_t inner = heads.inner(), stop = padded(keys.count), rows = queries.rows;
  float* probabilities = scratch;                          // [kRelativeRows][stop]
  float* gradient = probabilities + kRelativeRows * stop;  // [kRelativeRows][stop]
  float* distances = gradient + kRelativeRows * stop;      // [kRelativeRows][stop]
  for (std::size_t begin = 0; begin < rows; begin += kRelativeRows) {
    const std::size_t block = HWY_MIN(kRelativeRows, rows - begin);
    squared_distances(queries.places + begin * relative.axes, block, key_places, relative.axes, stop, distances);
    for (std::size_t h = 0; h < heads.count; ++h) {
      const std::size_t at = h * heads.dim;
      const float* block_up = up.attended + begin * inner;
      for (std::size_t r = 0; r < block; r += kRowTile) {
        const std::size_t tile_rows = HWY_MIN(kRowTile, block - r);
        float max[kRowTile], sum[kRowTile];
        relative_score_tile(relative, h, queries, begin + r, tile_rows, keys.keys_transposed, distances + r * stop,
                            keys.count, probabilities + r * stop, max, sum);
        rows_times_panels<Start::zero>(block_up + r * inner + at, inner, tile_rows,
                                       {keys.values_transposed + at * kPanel, kPanel, inner * kPanel},
                                       panels(keys.count), heads.dim, nullptr, gradient + r * stop, stop);
        for (std::size_t t = 0; t < tile_rows; ++t) {
          const std::size_t row = begin + r + t;
          const NullShare share = share_with_null(relative, h, max[t], sum[t]);
          up.null_share[h * rows + row] = share.null;
          float* row_gradient = gradient + (r + t) * stop;
          softmax_backward(probabilities + (r + t) * stop, row_gradient, stop, share.seen, up.mean + h * rows + row);
          dgamma[h] -= inner_product(row_gradient, distances + (r + t) * stop, stop);  // none of it in the padding
        }
      }
      for (std::size_t j = at; j < at + heads.dim; j += kPanel) {
        rows_times_panel<Start::add, Finish::none, Left::columns>(probabilities, stop, keys.count, block_up + j, inner,
                                                                  block, nullptr, up.rest.values + j, inner);
        rows_times_panel<Start::add, Finish::none, Left::columns>(
            gradient, stop, keys.count, queries.q + begin * inner + j, inner, block, nullptr, up.rest.keys + j, inner);
        rows_times_panel<Start::zero>(gradient, stop, block, keys.keys + j, inner, keys.count, nullptr,
                                      up.rest.q + begin * inner + j, inner);
      }
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(relative_backward_target);
HWY_EXPORT(head_products_target);
HWY_EXPORT(add_angle_gradient_target);

namespace {

struct Space {
  float* turned;      // [rows][inner]: the gradient of what was read, turned as queries are
  float* seen;        // [rows][inner]: what was read without the null key
  float* mean;        // [heads][rows]
  float* null_share;  // [heads][rows]
  float* rest;

  Space(const RelativeHeads& relative, std::size_t rows, std::size_t keys, Cursor& cursor)
      : turned(cursor.take(rows * relative.heads.inner())),
        seen(cursor.take(rows * relative.heads.inner())),
        mean(cursor.take(rows * relative.heads.count)),
        null_share(cursor.take(rows * relative.heads.count)),
        rest(cursor.take(3 * kRelativeRows * padded(keys))) {}
};

}  // namespace

RelativeGradient::RelativeGradient(const RelativeHeads& relative)
    : gamma(relative.heads.count),
      omega(relative.omega.size()),
      null_score(relative.heads.count),
      null_value(relative.heads.inner()) {}

RelativeKeySpace::RelativeKeySpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor)
    : keys(cursor.take(rows * layer.layer.heads.inner())), values(cursor.take(rows * layer.layer.heads.inner())) {}

void RelativeKeySpace::make(const RelativeLayer& layer, const float* normal, const PlacedRows& rows) const {
  const std::size_t inner = layer.layer.heads.inner();
  relative_keys(layer, normal, padded(layer.layer.context_width), rows, keys, inner, values, inner);
}

RelativeKeys RelativeKeySpace::view(const RelativeLayer& layer, const PlacedRows& rows) const {
  const std::size_t inner = layer.layer.heads.inner();
  return {keys, inner, values, inner, rows.places, rows.count};
}

RelativeKeyBackwardSpace::RelativeKeyBackwardSpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor)
    : forward(layer, rows, cursor),
      keys_transposed(cursor.take(keys_size(layer.layer.heads, rows))),
      values_transposed(cursor.take(keys_size(layer.layer.heads, rows))),
      places_by_axis(cursor.take(layer.relative.axes * padded(rows))) {}

void RelativeKeyBackwardSpace::make(const RelativeLayer& layer, const float* normal, const PlacedRows& rows) const {
  const std::size_t inner = layer.layer.heads.inner();
  forward.make(layer, normal, rows);
  transpose_to_panels(forward.keys, inner, rows.count, inner, keys_transposed);
  transpose_to_panels(forward.values, inner, rows.count, inner, values_transposed);
  kernels::places_by_axis(rows.places, rows.count, layer.relative.axes, places_by_axis);
}

std::size_t relative_backward_scratch(const RelativeHeads& relative, std::size_t rows, std::size_t keys) {
  Cursor cursor;
  Space(relative, rows, keys, cursor);
  return cursor.used();
}

void relative_backward(const RelativeLayer& layer, const AttentionBackwardPack& back, const float* q,
                       const PlacedRows& placed, const RelativeKeyBackwardSpace& keys, const PlacedRows& key_rows,
                       const float* attended, const float* dy, const AttentionUp& up, AttentionGradient& gradient,
                       RelativeGradient& relative_gradient, float* scratch) {
  const RelativeHeads& relative = layer.relative;
  const std::size_t inner = relative.heads.inner(), dim = relative.heads.dim;
  const std::size_t width = layer.layer.width, ld = padded(width), rows = placed.count, key_count = key_rows.count;
  Cursor cursor(scratch);
  const Space space(relative, rows, key_count, cursor);
  linear(back.output, dy, ld, rows, up.attended, inner);
  add_transposed_product(dy, ld, width, attended, inner, inner, rows, gradient.output.data(), inner);
  add_column_sums(dy, ld, ld, rows, gradient.output_bias.data());

  std::copy_n(up.attended, rows * inner, space.turned);
  turn(relative, placed.turns, rows, Way::there, space.turned, inner, dim);
  const auto head_row = [&](const float* x, std::size_t h, std::size_t r) { return x + r * inner + h * dim; };
  HWY_DYNAMIC_DISPATCH(head_products_target)(relative.heads, up.attended, attended, rows, space.mean);
  std::fill_n(up.keys, key_count * inner, 0.0f);
  std::fill_n(up.values, key_count * inner, 0.0f);
  HWY_DYNAMIC_DISPATCH(relative_backward_target)
  (relative, {q, inner, rows, placed.places},
   {keys.forward.keys, keys.keys_transposed, keys.values_transposed, key_count}, keys.places_by_axis,
   {space.turned, space.mean, space.null_share, up}, relative_gradient.gamma.data(), space.rest);

  std::copy_n(attended, rows * inner, space.seen);
  for (std::size_t h = 0; relative.has_null() && h < relative.heads.count; ++h) {
    const float* value = relative.null_value.data() + h * dim;
    float* dvalue = relative_gradient.null_value.data() + h * dim;
    for (std::size_t r = 0; r < rows; ++r) {
      const float share = space.null_share[h * rows + r];
      const float* of = head_row(up.attended, h, r);
      float* seen = space.seen + r * inner + h * dim;
      float along = 0.0f;
      for (std::size_t i = 0; i < dim; ++i) {
        dvalue[i] += share * of[i];
        seen[i] -= share * value[i];
        along += of[i] * value[i];
      }
      relative_gradient.null_score[h] += share * (along - space.mean[h * rows + r]);
    }
  }
  const auto add_angle_gradient = [&](const PlacedRows& of, const float* x, const float* dx, float factor) {
    HWY_DYNAMIC_DISPATCH(add_angle_gradient_target)
    (relative, of.places, of.count, x, dx, factor, relative_gradient.omega.data());
  };
  add_angle_gradient(placed, space.seen, up.attended, -1.0f);  // turned back
  add_angle_gradient(placed, q, up.q, 1.0f);
  add_angle_gradient(key_rows, keys.forward.keys, up.keys, 1.0f);
  add_angle_gradient(key_rows, keys.forward.values, up.values, 1.0f);
  turn(relative, placed.turns, rows, Way::back, up.q, inner, dim);
  turn(relative, key_rows.turns, key_count, Way::back, up.keys, inner, dim);
  turn(relative, key_rows.turns, key_count, Way::back, up.values, inner, dim);
}

}  // namespace cmanp::kernels
#endif

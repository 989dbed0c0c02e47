#include "kernels/relative_layer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cursor.hpp"

namespace cmanp::kernels {
namespace {

constexpr std::size_t kTile = 48;  // rows, a multiple of a panel's

// Room for one tile's queries and turns, and the scores of a few of them.
struct QuerySpace {
  float* q;
  float* attended;
  float* cos;
  float* sin;
  float* scores;

  QuerySpace(const RelativeLayer& layer, std::size_t keys, Cursor& cursor)
      : q(cursor.take(kTile * padded(layer.layer.heads.inner()))),
        attended(cursor.take(kTile * layer.layer.heads.padded_inner())),
        cos(cursor.take(kTile * layer.relative.turns())),
        sin(cursor.take(kTile * layer.relative.turns())),
        scores(cursor.take(attention_scratch(keys))) {}
};

struct SelfSpace {
  float* normal;
  float* transposed;
  float* values;
  float* keys;
  QuerySpace queries;

  SelfSpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor)
      : normal(cursor.take(rows * padded(layer.layer.width))),
        transposed(cursor.take(keys_size(layer.layer.heads, rows))),
        values(cursor.take(values_size(layer.layer.heads, rows))),
        keys(cursor.take(layer.keys_scratch())),
        queries(layer, rows, cursor) {}
};

// The queries of one tile attend and are added to x.
void attend_and_add(const RelativeLayer& relative, const float* normal, float* x, const float* places, std::size_t rows,
                    const RelativeKeys& keys, const QuerySpace& space) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldx = padded(layer.width), ldq = padded(layer.heads.inner()), ldo = layer.heads.padded_inner();
  const Turns turns{space.cos, space.sin};
  make_turns(relative.relative, places, rows, space.cos, space.sin);
  linear(layer.query, normal, ldx, rows, space.q, ldq);
  turn(relative.relative, turns, rows, Way::there, space.q, ldq, layer.heads.dim);
  attend_relative(relative.relative, {space.q, ldq, rows, places}, turns, keys, space.attended, ldo, space.scores);
  linear(layer.output, space.attended, ldo, rows, x, ldx, Into::add);
}

template <class Space, class... Arguments>
std::size_t measure(const Arguments&... arguments) {
  Cursor cursor;
  Space(arguments..., cursor);
  return cursor.used();
}

}  // namespace

RelativeLayer RelativeLayer::pack(AttentionLayer layer, RelativeHeads relative) {
  Linear key = Linear::pack(layer.key.data(), layer.key_bias.data(), layer.heads.inner(), layer.context_width);
  layer.key = {};
  layer.key_bias = {};
  return {std::move(layer), std::move(key), std::move(relative)};
}

std::size_t RelativeLayer::keys_scratch() const { return kTile * (padded(layer.heads.inner()) + 2 * relative.turns()); }

std::size_t RelativeLayer::cross_scratch(std::size_t keys) const {
  return kTile * padded(layer.width) + measure<QuerySpace>(*this, keys);
}

std::size_t RelativeLayer::self_scratch(std::size_t rows) const { return measure<SelfSpace>(*this, rows); }

void relative_keys(const RelativeLayer& relative, const float* normal, std::size_t ld, const Places& places,
                   float* transposed, float* values, float* scratch) {
  const AttentionLayer& layer = relative.layer;
  const Heads& heads = layer.heads;
  const std::size_t ldk = padded(heads.inner()), ldv = heads.padded_inner(), width = relative.relative.turns();
  float* keys = scratch;
  float* cos = keys + kTile * ldk;
  float* sin = cos + kTile * width;
  for (std::size_t r = 0; r < places.count; r += kTile) {
    const std::size_t tile = std::min(kTile, places.count - r);
    make_turns(relative.relative, places.rows + r * relative.relative.axes, tile, cos, sin);
    linear(relative.key, normal + r * ld, ld, tile, keys, ldk);
    turn(relative.relative, {cos, sin}, tile, Way::there, keys, ldk, heads.dim);
    transpose_to_panels(keys, ldk, tile, heads.inner(), transposed + r * heads.inner());
    linear(layer.value, normal + r * ld, ld, tile, values + r * ldv, ldv);
    turn(relative.relative, {cos, sin}, tile, Way::there, values + r * ldv, ldv, padded(heads.dim));
  }
}

void relative_cross_attention(const RelativeLayer& relative, Residual residual, float* x, const float* places,
                              std::size_t rows, const RelativeKeys& keys, float* scratch) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldx = padded(layer.width);
  Cursor cursor(scratch);
  float* own_normal = cursor.take(kTile * ldx);
  const QuerySpace space(relative, keys.keys.count, cursor);
  for (std::size_t r = 0; r < rows; r += kTile) {
    const std::size_t tile = std::min(kTile, rows - r);
    float* to = x + r * ldx;
    float* normal = residual == Residual::normalised ? to : own_normal;  // as cross_attention has it
    layer_norm(layer.norm, to, ldx, tile, normal, ldx);
    attend_and_add(relative, normal, to, places + r * relative.relative.axes, tile, keys, space);
  }
}

void relative_self_attention(const RelativeLayer& relative, Residual residual, float* x, const Places& places,
                             float* scratch) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldx = padded(layer.width), rows = places.count;
  Cursor cursor(scratch);
  const SelfSpace space(relative, rows, cursor);
  layer_norm(layer.norm, x, ldx, rows, space.normal, ldx);
  relative_keys(relative, space.normal, ldx, places, space.transposed, space.values, space.keys);
  if (residual == Residual::normalised) std::copy_n(space.normal, rows * ldx, x);
  const RelativeKeys keys{{space.transposed, space.values, rows}, places.by_axis};
  for (std::size_t r = 0; r < rows; r += kTile) {
    attend_and_add(relative, space.normal + r * ldx, x + r * ldx, places.rows + r * relative.relative.axes,
                   std::min(kTile, rows - r), keys, space.queries);
  }
}

}  // namespace cmanp::kernels

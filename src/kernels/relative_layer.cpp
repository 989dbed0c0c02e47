#include "kernels/relative_layer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cursor.hpp"

namespace cmanp::kernels {
namespace {

constexpr std::size_t kTile = 48;  // rows, a multiple of a panel's

// Room for one tile's queries, and the scores of a few of them.
struct QuerySpace {
  float* q;
  float* attended;
  float* scores;

  QuerySpace(const RelativeLayer& layer, std::size_t keys, Cursor& cursor)
      : q(cursor.take(kTile * padded(layer.layer.heads.inner()))),
        attended(cursor.take(kTile * layer.layer.heads.padded_inner())),
        scores(cursor.take(relative_attention_scratch(layer.relative, keys))) {}
};

struct SelfSpace {
  float* normal;
  float* cos;
  float* sin;
  float* keys;
  float* values;
  float* queries;

  SelfSpace(const RelativeLayer& layer, std::size_t rows, Cursor& cursor)
      : normal(cursor.take(rows * padded(layer.layer.width))),
        cos(cursor.take(rows * layer.relative.turns())),
        sin(cursor.take(rows * layer.relative.turns())),
        keys(cursor.take(layer.keys_size(rows))),
        values(cursor.take(layer.values_size(rows))),
        queries(cursor.take(layer.cross_scratch(rows))) {}
};

PlacedRows part_of(const RelativeHeads& relative, const PlacedRows& rows, std::size_t first) {
  const std::size_t turned = first * relative.turns();
  return {rows.places + first * relative.axes,
          {rows.turns.cos + turned, rows.turns.sin + turned},
          std::min(kTile, rows.count - first)};
}

// The tile of queries from row `first` on attends and is added to x.
void attend_tile(const RelativeLayer& relative, const float* normal, std::size_t first, const PlacedRows& rows,
                 const RelativeKeys& keys, float* x, const QuerySpace& space, float* attended) {
  const std::size_t ldo = relative.layer.heads.padded_inner();
  const PlacedRows tile = part_of(relative.relative, rows, first);
  relative_queries(relative, normal, tile, space.q);
  attend_relative_and_add(relative, space.q, tile, keys, attended != nullptr ? attended + first * ldo : space.attended,
                          x + first * padded(relative.layer.width), space.scores);
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

std::size_t RelativeLayer::cross_scratch(std::size_t keys) const {
  return kTile * padded(layer.width) + measure<QuerySpace>(*this, keys);
}

std::size_t RelativeLayer::self_scratch(std::size_t rows) const { return measure<SelfSpace>(*this, rows); }

void relative_keys(const RelativeLayer& relative, const float* normal, std::size_t ld, const PlacedRows& rows,
                   float* keys, std::size_t ldk, float* values, std::size_t ldv) {
  const AttentionLayer& layer = relative.layer;
  for (std::size_t r = 0; r < rows.count; r += kTile) {
    const PlacedRows tile = part_of(relative.relative, rows, r);
    linear(relative.key, normal + r * ld, ld, tile.count, keys + r * ldk, ldk);
    turn(relative.relative, tile.turns, tile.count, Way::there, keys + r * ldk, ldk, layer.heads.dim);
    linear(layer.value, normal + r * ld, ld, tile.count, values + r * ldv, ldv);
    turn(relative.relative, tile.turns, tile.count, Way::there, values + r * ldv, ldv, padded(layer.heads.dim));
  }
}

void relative_keys(const RelativeLayer& layer, const float* normal, std::size_t ld, const PlacedRows& rows, float* keys,
                   float* values) {
  const Heads& heads = layer.layer.heads;
  relative_keys(layer, normal, ld, rows, keys, RelativeLayer::key_stride(heads), values,
                RelativeLayer::value_stride(heads));
}

void relative_queries(const RelativeLayer& relative, const float* normal, const PlacedRows& rows, float* q) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldq = padded(layer.heads.inner());
  linear(layer.query, normal, padded(layer.width), rows.count, q, ldq);
  turn(relative.relative, rows.turns, rows.count, Way::there, q, ldq, layer.heads.dim);
}

void attend_relative_and_add(const RelativeLayer& relative, const float* q, const PlacedRows& rows,
                             const RelativeKeys& keys, float* attended, float* x, float* scratch) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldq = padded(layer.heads.inner()), ldo = layer.heads.padded_inner();
  attend_relative(relative.relative, {q, ldq, rows.count, rows.places}, rows.turns, keys, attended, ldo, scratch);
  linear(layer.output, attended, ldo, rows.count, x, padded(layer.width), Into::add);
}

void relative_cross_attention(const RelativeLayer& relative, Residual residual, float* x, const PlacedRows& rows,
                              const RelativeKeys& keys, float* scratch, float* attended) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldx = padded(layer.width);
  Cursor cursor(scratch);
  float* own_normal = cursor.take(kTile * ldx);
  const QuerySpace space(relative, keys.count, cursor);
  for (std::size_t r = 0; r < rows.count; r += kTile) {
    float* to = x + r * ldx;
    float* normal = residual == Residual::normalised ? to : own_normal;  // as cross_attention has it
    layer_norm(layer.norm, to, ldx, std::min(kTile, rows.count - r), normal, ldx);
    attend_tile(relative, normal, r, rows, keys, x, space, attended);
  }
}

void relative_normal_attention(const RelativeLayer& relative, Residual residual, const float* normal, float* x,
                               const PlacedRows& rows, const RelativeKeys& keys, float* scratch, float* attended) {
  const std::size_t ldx = padded(relative.layer.width);
  Cursor cursor(scratch);
  const QuerySpace space(relative, keys.count, cursor);
  if (residual == Residual::normalised) std::copy_n(normal, rows.count * ldx, x);
  for (std::size_t r = 0; r < rows.count; r += kTile) {
    attend_tile(relative, normal + r * ldx, r, rows, keys, x, space, attended);
  }
}

void relative_self_attention(const RelativeLayer& relative, Residual residual, float* x, const float* places,
                             std::size_t rows, float* scratch) {
  const AttentionLayer& layer = relative.layer;
  const std::size_t ldx = padded(layer.width);
  Cursor cursor(scratch);
  const SelfSpace space(relative, rows, cursor);
  const PlacedRows placed{places, {space.cos, space.sin}, rows};
  make_turns(relative.relative, places, rows, space.cos, space.sin);
  layer_norm(layer.norm, x, ldx, rows, space.normal, ldx);
  relative_keys(relative, space.normal, ldx, placed, space.keys, space.values);
  relative_normal_attention(relative, residual, space.normal, x, placed,
                            {space.keys, RelativeLayer::key_stride(layer.heads), space.values,
                             RelativeLayer::value_stride(layer.heads), places, rows},
                            space.queries);
}

}  // namespace cmanp::kernels

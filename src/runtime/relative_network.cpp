#include "runtime/relative_network.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "runtime/absorber.hpp"
#include "runtime/features.hpp"

namespace cmanp::runtime {
namespace {

using kernels::Cursor;
using kernels::padded;

// One row everywhere.
void repeat(const kernels::Buffer<float>& row, std::size_t count, float* to) {
  for (std::size_t r = 0; r < count; ++r) std::copy(row.begin(), row.end(), to + r * row.size());
}

// Rows along their first x, so that what reaches the same places is dealt with together.
void sort_along(const double* x, std::size_t dim_x, std::size_t count, std::size_t* order) {
  std::iota(order, order + count, std::size_t{0});
  std::sort(order, order + count, [&](std::size_t a, std::size_t b) {
    return x[a * dim_x] != x[b * dim_x] ? x[a * dim_x] < x[b * dim_x] : a < b;
  });
}

std::size_t encode_scratch(const Weights& weights, std::size_t size) {
  const RelativeBlock& block = weights.relative->blocks.front();  // every block has the same shapes
  return std::max({block.own_feed_forward_1.scratch(), block.own_self.self_scratch(size), block.cross.keys_scratch(),
                   block.cross.cross_scratch(size)});
}

// What a block's own latents have seen of the context, through its state.
void read_context(const RelativeBlock& block, const kernels::Places& places, const kernels::AttentionState& state,
                  const RelativeEncodeSpace& space) {
  const std::size_t ld = block.context.layer.heads.padded_inner();
  state.read(space.attended, ld);
  for (std::size_t row = 0; row < state.max.size(); ++row) {
    space.log_normaliser[row] = static_cast<float>(state.log_normaliser(row));
  }
  kernels::make_turns(block.context.relative, places.rows, places.count, space.cos, space.sin);
  kernels::read_relative(block.context.relative, {space.cos, space.sin}, space.log_normaliser, places.count,
                         space.attended, ld);
}

// Keys and values of rows that are first normalised.
void keys_of(const kernels::RelativeLayer& layer, const kernels::Norm& plain, const float* rows,
             const kernels::Places& places, const RelativeEncodeSpace& space, float* transposed, float* values) {
  const std::size_t ld = padded(plain.width);
  kernels::layer_norm(plain, rows, ld, places.count, space.normal, ld);
  kernels::relative_keys(layer, space.normal, ld, places, transposed, values, space.layer);
}

// space.latents through one block.
void encode_block(const Weights& weights, const RelativeBlock& block, const kernels::Places& places,
                  const kernels::AttentionState& state, const RelativeEncodeSpace& space) {
  const Residual residual = weights.config.residual;
  const std::size_t count = places.count, ld = padded(weights.config.d_model);
  read_context(block, places, state, space);
  repeat(block.base, count, space.own);
  kernels::linear(block.context.layer.output, space.attended, weights.heads().padded_inner(), count, space.own, ld,
                  kernels::Into::add);
  kernels::feed_forward(block.own_feed_forward_1, residual, space.own, count, space.layer);
  kernels::relative_self_attention(block.own_self, residual, space.own, places, space.layer);
  kernels::feed_forward(block.own_feed_forward_2, residual, space.own, count, space.layer);
  keys_of(block.cross, weights.plain_own, space.own, places, space, space.transposed, space.values);
  kernels::relative_cross_attention(block.cross, residual, space.latents, places.rows, count,
                                    {{space.transposed, space.values, count}, places.by_axis}, space.layer);
  kernels::feed_forward(block.feed_forward_1, residual, space.latents, count, space.layer);
  kernels::relative_self_attention(block.self, residual, space.latents, places, space.layer);
  kernels::feed_forward(block.feed_forward_2, residual, space.latents, count, space.layer);
}

}  // namespace

GridQueries::GridQueries(const Weights& weights, Grid of)
    : grid(std::move(of)), rows(grid.size() * grid.axes()), by_axis(padded(grid.size()) * grid.axes()) {
  grid.write_places(rows.data());
  kernels::places_by_axis(rows.data(), grid.size(), grid.axes(), by_axis.data());
  for (const RelativeBlock& block : weights.relative->blocks) {
    const kernels::RelativeHeads& relative = block.context.relative;
    const std::size_t ld = block.query.size();
    std::vector<float> cos(relative.turns()), sin(relative.turns());
    kernels::Buffer<float> turned(grid.size() * ld);
    repeat(block.query, grid.size(), turned.data());
    for (std::size_t r = 0; r < grid.size(); ++r) {
      kernels::make_turns(relative, rows.data() + r * grid.axes(), 1, cos.data(), sin.data());
      kernels::turn(relative, {cos.data(), sin.data()}, 1, kernels::Way::there, turned.data() + r * ld, ld,
                    weights.heads().dim);
    }
    queries.push_back(std::move(turned));
  }
}

std::size_t GridQueries::bytes(const Weights& weights, const Grid& grid) {
  const std::size_t places = (grid.size() + padded(grid.size())) * grid.axes();
  return (places + weights.relative->blocks.size() * grid.size() * padded(weights.heads().inner())) * sizeof(float);
}

RelativeAbsorbSpace::RelativeAbsorbSpace(const Weights& weights, Cursor& cursor) {
  const std::size_t axes = weights.config.axes();
  const kernels::Heads heads = weights.heads();
  features = cursor.take(kChunk * padded(weights.embedder.in()));
  mlp = cursor.take(weights.embedder.scratch(kChunk));
  embedded = cursor.take(kChunk * padded(weights.config.d_model));
  places = cursor.take(kChunk * axes);
  by_axis = cursor.take(kChunk * axes);
  transposed = cursor.take(kernels::keys_size(heads, kChunk));
  values = cursor.take(kernels::values_size(heads, kChunk));
  keys = cursor.take(weights.relative->blocks.front().context.keys_scratch());
  scores = cursor.take(kernels::attention_scratch(kChunk));
}

void summarise_relative(const Weights& weights, const GridQueries& grid, const double* x, const double* y,
                        std::size_t count, const RelativeAbsorbSpace& space,
                        std::vector<kernels::AttentionChunk>& chunks) {
  const std::size_t ldf = padded(weights.embedder.in()), ld = padded(weights.config.d_model);
  const std::size_t dx = weights.config.dim_x, dy = weights.config.dim_y;
  std::array<std::size_t, kChunk> order;
  sort_along(x, dx, count, order.data());
  for (std::size_t i = 0; i < count; ++i) {
    write_features(weights, x + order[i] * dx, y + order[i] * dy, 1, space.features + i * ldf, ldf);
    grid.grid.write_places(x + order[i] * dx, 1, space.places + i * grid.grid.axes());
  }
  weights.embedder.run(space.features, ldf, count, space.embedded, space.mlp);
  kernels::layer_norm(weights.plain_token, space.embedded, ld, count, space.embedded, ld);
  kernels::places_by_axis(space.places, count, grid.grid.axes(), space.by_axis);
  for (std::size_t b = 0; b < weights.relative->blocks.size(); ++b) {
    const kernels::RelativeLayer& context = weights.relative->blocks[b].context;
    kernels::relative_keys(context, space.embedded, ld, {space.places, space.by_axis, count}, space.transposed,
                           space.values, space.keys);
    kernels::attend_relative_unnormalised(
        context.relative, {grid.queries[b].data(), ld, grid.grid.size(), grid.rows.data()},
        {{space.transposed, space.values, count}, space.by_axis}, chunks[b].max.data(), chunks[b].sum.data(),
        chunks[b].weighted.data(), space.scores);
  }
}

RelativeEncodeSpace::RelativeEncodeSpace(const Weights& weights, std::size_t size, Cursor& cursor) {
  const kernels::Heads heads = weights.heads();
  const std::size_t ld = padded(weights.config.d_model),
                    turns = weights.relative->blocks.front().context.relative.turns();
  own = cursor.take(size * ld);
  attended = cursor.take(size * heads.padded_inner());
  log_normaliser = cursor.take(heads.count * size);
  cos = cursor.take(size * turns);
  sin = cursor.take(size * turns);
  latents = cursor.take(size * ld);
  normal = cursor.take(size * ld);
  transposed = cursor.take(kernels::keys_size(heads, size));
  values = cursor.take(kernels::values_size(heads, size));
  layer = cursor.take(encode_scratch(weights, size));
}

void encode_relative(const Weights& weights, const GridQueries& grid,
                     const std::vector<kernels::AttentionState>& states, const RelativeEncodeSpace& space,
                     std::vector<LayerKeys>& keys) {
  const kernels::Places places = grid.places();
  repeat(weights.relative->latent, places.count, space.latents);
  for (std::size_t b = 0; b < states.size(); ++b) {
    encode_block(weights, weights.relative->blocks[b], places, states[b], space);
    keys_of(weights.relative->decoder[b].attention, weights.plain_latent, space.latents, places, space,
            keys[b].transposed.data(), keys[b].values.data());
  }
}

void decode_relative(const Weights& weights, const GridQueries& grid, const std::vector<LayerKeys>& keys,
                     const double* x, std::size_t count, const DecodeSpace& space, float* hidden) {
  const std::size_t ld = padded(weights.config.d_model), dx = weights.config.dim_x;
  std::array<std::size_t, kTargets> order;
  sort_along(x, dx, count, order.data());
  for (std::size_t i = 0; i < count; ++i) {
    grid.grid.write_places(x + order[i] * dx, 1, space.places + i * grid.grid.axes());
  }
  if (weights.config.content_x() > 0) {
    const std::size_t ldf = padded(weights.query_embedder.in());
    for (std::size_t i = 0; i < count; ++i) {
      write_features(weights, x + order[i] * dx, nullptr, 1, space.features + i * ldf, ldf);
    }
    weights.query_embedder.run(space.features, ldf, count, space.sorted, space.mlp);
  } else {
    repeat(weights.relative->target, count, space.sorted);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RelativeDecoderLayer& layer = weights.relative->decoder[i];
    kernels::relative_cross_attention(layer.attention, weights.config.residual, space.sorted, space.places, count,
                                      {keys[i].view(grid.grid.size()), grid.by_axis.data()}, space.layer);
    kernels::feed_forward(layer.feed_forward, weights.config.residual, space.sorted, count, space.layer);
  }
  kernels::layer_norm(weights.norm, space.sorted, ld, count, space.sorted, ld);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(space.sorted + i * ld, ld, hidden + order[i] * ld);
}

}  // namespace cmanp::runtime

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
using kernels::RelativeLayer;

// One row everywhere.
void repeat(const kernels::Buffer<float>& row, std::size_t count, float* to) {
  for (std::size_t r = 0; r < count; ++r) std::copy(row.begin(), row.end(), to + r * row.size());
}

// One thread's rows of one block.
class RelativeBlockRows {
 public:
  RelativeBlockRows(const Weights& weights, std::size_t block, const GridQueries& grid,
                    const RelativeEncodeSpace& space, const Rows& rows, float* scratch)
      : weights_(weights),
        block_(weights.relative->blocks[block]),
        grid_(grid),
        space_(space),
        rows_(rows),
        scratch_(scratch),
        own_(space.own + rows.first * ld()),
        latents_(space.latents + rows.first * ld()) {}

  // What the block's own latents have seen of the context, through its state; and their keys for each other.
  void read_context(const kernels::AttentionState& state, const PassedKeys& to) const {
    const std::size_t ld_inner = weights_.heads().padded_inner(), heads = weights_.heads().count;
    const kernels::RelativeHeads& relative = block_.context.relative;
    float* attended = space_.attended + rows_.first * ld_inner;
    float* normaliser = space_.log_normaliser + rows_.first * heads;
    state.read(rows_.first, rows_.last, attended, ld_inner);
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t r = 0; r < rows_.count(); ++r) {
        normaliser[h * rows_.count() + r] =
            static_cast<float>(state.log_normaliser(h * state.queries + rows_.first + r));
      }
    }
    const kernels::PlacedRows placed = turned(relative, space_.own_cos, space_.own_sin);
    kernels::read_relative(relative, placed.turns, normaliser, rows_.count(), attended, ld_inner);
    repeat(block_.base, rows_.count(), own_);
    kernels::linear(block_.context.layer.output, attended, ld_inner, rows_.count(), own_, ld(), kernels::Into::add);
    kernels::feed_forward(block_.own_feed_forward_1, residual(), own_, rows_.count(), scratch_);
    make_keys(block_.own_self, block_.own_self.layer.norm, of_own(), to);
  }

  void attend_to_own(const PassedKeys& from, const PassedKeys& to) const {
    attend(block_.own_self, of_own(), from);
    kernels::feed_forward(block_.own_feed_forward_2, residual(), own_, rows_.count(), scratch_);
    make_keys(block_.cross, weights_.plain_own, of_own(), to);
  }

  void read_own(const PassedKeys& from, const PassedKeys& to) const {
    // Latents of both kinds lie on the same grid: the turns are those that attend_to_own made its keys with.
    const kernels::PlacedRows placed_rows = placed(block_.cross.relative, space_.own_cos, space_.own_sin);
    kernels::relative_cross_attention(block_.cross, residual(), latents_, placed_rows, view(from), scratch_);
    kernels::feed_forward(block_.feed_forward_1, residual(), latents_, rows_.count(), scratch_);
    make_keys(block_.self, block_.self.layer.norm, of_latents(), to);
  }

  void attend_to_latents(const PassedKeys& from) const {
    attend(block_.self, of_latents(), from);
    kernels::feed_forward(block_.feed_forward_2, residual(), latents_, rows_.count(), scratch_);
  }

  void make_decoder_keys(std::size_t layer, const PassedKeys& to) const {
    make_keys(weights_.relative->decoder[layer].attention, weights_.plain_latent, of_latents(), to);
  }

 private:
  // Rows from the first of this thread on, what they are normalised, and all rows' turns.
  struct Some {
    float *rows, *normal, *cos, *sin;
  };
  Some of_own() const { return {own_, space_.normal + rows_.first * ld(), space_.own_cos, space_.own_sin}; }
  Some of_latents() const {
    return {latents_, space_.latent_normal + rows_.first * ld(), space_.latent_cos, space_.latent_sin};
  }

  Residual residual() const { return weights_.config.residual; }
  std::size_t ld() const { return padded(weights_.config.d_model); }

  // These rows with the turns of some heads, which are made, or are there.
  kernels::PlacedRows placed(const kernels::RelativeHeads& relative, const float* cos, const float* sin) const {
    const std::size_t at = rows_.first * relative.turns();
    return {grid_.rows.data() + rows_.first * relative.axes, {cos + at, sin + at}, rows_.count()};
  }
  kernels::PlacedRows turned(const kernels::RelativeHeads& relative, float* cos, float* sin) const {
    const std::size_t at = rows_.first * relative.turns();
    kernels::make_grid_turns(relative, grid_.rows.data(), rows_.first, rows_.last, cos + at, sin + at);
    return placed(relative, cos, sin);
  }

  // Of rows that are first normalised.
  void make_keys(const kernels::RelativeLayer& layer, const kernels::Norm& norm, const Some& some,
                 const PassedKeys& to) const {
    kernels::layer_norm(norm, some.rows, ld(), rows_.count(), some.normal, ld());
    kernels::relative_keys(layer, some.normal, ld(), turned(layer.relative, some.cos, some.sin),
                           to.keys + layer.keys_size(rows_.first), to.values + layer.values_size(rows_.first));
  }

  // To each other, by the keys and turns that make_keys left.
  void attend(const kernels::RelativeLayer& layer, const Some& some, const PassedKeys& from) const {
    kernels::relative_normal_attention(layer, residual(), some.normal, some.rows,
                                       placed(layer.relative, some.cos, some.sin), view(from), scratch_);
  }

  kernels::RelativeKeys view(const PassedKeys& keys) const { return grid_.keys(weights_, keys.keys, keys.values); }

  const Weights& weights_;
  const RelativeBlock& block_;
  const GridQueries& grid_;
  const RelativeEncodeSpace& space_;
  Rows rows_;
  float* scratch_;
  float *own_, *latents_;
};

}  // namespace

void sort_along(const double* x, std::size_t dim_x, std::size_t count, std::uint32_t* order) {
  std::iota(order, order + count, std::uint32_t{0});
  std::sort(order, order + count, [&](std::uint32_t a, std::uint32_t b) {
    return x[a * dim_x] != x[b * dim_x] ? x[a * dim_x] < x[b * dim_x] : a < b;
  });
}

GridQueries::GridQueries(const Weights& weights, Grid of)
    : grid(std::move(of)),
      columns(kernels::GridQueryColumns::columns(grid.size())),
      rows(grid.size() * grid.axes()),
      by_axis(columns * grid.axes()) {
  grid.write_places(rows.data());
  kernels::places_by_axis(rows.data(), grid.size(), grid.axes(), by_axis.data(), columns);
  for (const RelativeBlock& block : weights.relative->blocks) {
    const kernels::RelativeHeads& relative = block.context.relative;
    const std::size_t inner = weights.heads().inner();
    std::vector<float> cos(relative.turns()), sin(relative.turns()), turned(block.query.size());
    kernels::Buffer<float> transposed(inner * columns);
    for (std::size_t r = 0; r < grid.size(); ++r) {
      repeat(block.query, 1, turned.data());
      kernels::make_turns(relative, rows.data() + r * grid.axes(), 1, cos.data(), sin.data());
      kernels::turn(relative, {cos.data(), sin.data()}, 1, kernels::Way::there, turned.data(), turned.size(),
                    weights.heads().dim);
      for (std::size_t i = 0; i < inner; ++i) transposed[i * columns + r] = turned[i];
    }
    queries.push_back(std::move(transposed));
  }
}

kernels::RelativeKeys GridQueries::keys(const Weights& weights, const float* of, const float* values) const {
  const kernels::Heads heads = weights.heads();
  return {of, RelativeLayer::key_stride(heads), values, RelativeLayer::value_stride(heads), rows.data(), grid.size()};
}

std::size_t GridQueries::bytes(const Weights& weights, const Grid& grid) {
  const std::size_t columns = kernels::GridQueryColumns::columns(grid.size());
  const std::size_t places = (grid.size() + columns) * grid.axes();
  return (places + weights.relative->blocks.size() * columns * weights.heads().inner()) * sizeof(float);
}

RelativeAbsorbSpace::RelativeAbsorbSpace(const Weights& weights, Cursor& cursor) {
  const std::size_t axes = weights.config.axes();
  features = cursor.take(kChunk * padded(weights.embedder.in()));
  mlp = cursor.take(weights.embedder.scratch(kChunk));
  embedded = cursor.take(kChunk * padded(weights.config.d_model));
  places = cursor.take(kChunk * axes);
  const kernels::RelativeLayer& context = weights.relative->blocks.front().context;
  cos = cursor.take(kChunk * context.relative.turns());
  sin = cursor.take(kChunk * context.relative.turns());
  keys = cursor.take(context.keys_size(kChunk));
  values = cursor.take(context.values_size(kChunk));
  scores = cursor.take(kernels::relative_attention_scratch(context.relative, kChunk));
}

void summarise_relative(const Weights& weights, const GridQueries& grid, const double* x, const double* y,
                        const std::uint32_t* order, std::size_t count, const RelativeAbsorbSpace& space,
                        std::vector<kernels::AttentionChunk>& chunks) {
  const std::size_t ldf = padded(weights.embedder.in()), ld = padded(weights.config.d_model);
  const std::size_t dx = weights.config.dim_x, dy = weights.config.dim_y;
  const kernels::Heads heads = weights.heads();
  std::array<std::uint32_t, kChunk> own_order;
  if (order == nullptr) {
    sort_along(x, dx, count, own_order.data());
    order = own_order.data();
  }
  for (std::size_t i = 0; i < count; ++i) {
    write_features(weights, x + order[i] * dx, y + order[i] * dy, 1, space.features + i * ldf, ldf);
    grid.grid.write_places(x + order[i] * dx, 1, space.places + i * grid.grid.axes());
  }
  weights.embedder.run(space.features, ldf, count, space.embedded, space.mlp);
  kernels::layer_norm(weights.plain_token, space.embedded, ld, count, space.embedded, ld);
  for (std::size_t b = 0; b < weights.relative->blocks.size(); ++b) {
    const kernels::RelativeLayer& context = weights.relative->blocks[b].context;
    kernels::make_turns(context.relative, space.places, count, space.cos, space.sin);
    kernels::relative_keys(context, space.embedded, ld, {space.places, {space.cos, space.sin}, count}, space.keys,
                           space.values);
    kernels::attend_relative_unnormalised(context.relative,
                                          {grid.queries[b].data(), grid.by_axis.data(), grid.columns, grid.grid.size()},
                                          {space.keys, RelativeLayer::key_stride(heads), space.values,
                                           RelativeLayer::value_stride(heads), space.places, count},
                                          chunks[b], space.scores);
  }
}

std::size_t relative_layer_scratch(const Weights& weights, std::size_t size) {
  const RelativeBlock& block = weights.relative->blocks.front();  // every block has the same shapes
  return std::max(block.own_feed_forward_1.scratch(), block.cross.cross_scratch(size));
}

RelativeEncodeSpace::RelativeEncodeSpace(const Weights& weights, std::size_t size, Cursor& cursor) {
  const kernels::Heads heads = weights.heads();
  const kernels::RelativeLayer& context = weights.relative->blocks.front().context;
  const std::size_t ld = padded(weights.config.d_model), turns = context.relative.turns();
  own = cursor.take(size * ld);
  attended = cursor.take(size * heads.padded_inner());
  log_normaliser = cursor.take(heads.count * size);
  for (float** one : {&own_cos, &own_sin, &latent_cos, &latent_sin}) *one = cursor.take(size * turns);
  latents = cursor.take(size * ld);
  normal = cursor.take(size * ld);
  latent_normal = cursor.take(size * ld);
  for (PassedKeys& one : keys) {
    one.keys = cursor.take(context.keys_size(size));
    one.values = cursor.take(context.values_size(size));
  }
  layer = cursor.take(relative_layer_scratch(weights, size));
}

void encode_relative(const Weights& weights, const GridQueries& grid,
                     const std::vector<kernels::AttentionState>& states, const RelativeEncodeSpace& space,
                     const Crew& crew, std::vector<LayerKeys>& keys) {
  const std::size_t size = grid.grid.size();
  repeat(weights.relative->latent, size, space.latents);
  encode_in_stretches(
      weights.relative->blocks.size(), crew, space.keys,
      [&](std::size_t block, std::size_t part, float* scratch) {
        return RelativeBlockRows(weights, block, grid, space, crew.share(size, part), scratch);
      },
      states, keys);
}

void decode_relative(const Weights& weights, const GridQueries& grid, const std::vector<LayerKeys>& keys,
                     const double* x, std::size_t count, const DecodeSpace& space, float* hidden) {
  const std::size_t ld = padded(weights.config.d_model), dx = weights.config.dim_x;
  std::array<std::uint32_t, kTargets> order;
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
    kernels::make_turns(layer.attention.relative, space.places, count, space.cos, space.sin);
    kernels::relative_cross_attention(
        layer.attention, weights.config.residual, space.sorted, {space.places, {space.cos, space.sin}, count},
        grid.keys(weights, keys[i].transposed.data(), keys[i].values.data()), space.layer);
    kernels::feed_forward(layer.feed_forward, weights.config.residual, space.sorted, count, space.layer);
  }
  kernels::layer_norm(weights.norm, space.sorted, ld, count, space.sorted, ld);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(space.sorted + i * ld, ld, hidden + order[i] * ld);
}

}  // namespace cmanp::runtime

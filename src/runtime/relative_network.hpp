// What a model in relative coordinates computes, over a grid: from points to states, from states to latents and keys,
// from targets to what the heads read. As absorber.hpp, encoder.hpp and decoder.hpp have it in absolute coordinates.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/attention_state.hpp"
#include "kernels/cursor.hpp"
#include "runtime/decoder.hpp"
#include "runtime/encoder.hpp"
#include "runtime/grid.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

// A grid's places, and each block's queries to the context, turned to them: constants of a context.
struct GridQueries {
  Grid grid;
  kernels::Buffer<float> rows;                  // places [size][axes]
  kernels::Buffer<float> by_axis;               // [axes][padded(size)]
  std::vector<kernels::Buffer<float>> queries;  // a block, [size][padded(inner)]

  GridQueries(const Weights& weights, Grid of);

  kernels::Places places() const { return {rows.data(), by_axis.data(), grid.size()}; }
  static std::size_t bytes(const Weights& weights, const Grid& grid);
};

struct RelativeAbsorbSpace {
  float* features;  // [kChunk][padded(in)]
  float* mlp;
  float* embedded;  // [kChunk][padded(d)]
  float* places;    // [kChunk][axes]
  float* by_axis;
  float* transposed;
  float* values;
  float* keys;  // scratch of making them
  float* scores;

  RelativeAbsorbSpace(const Weights& weights, kernels::Cursor& cursor);
};

// chunks[block] = the triple of points x, y (at least one, at most kChunk).
void summarise_relative(const Weights& weights, const GridQueries& grid, const double* x, const double* y,
                        std::size_t count, const RelativeAbsorbSpace& space,
                        std::vector<kernels::AttentionChunk>& chunks);

struct RelativeEncodeSpace {
  float* own;             // [size][padded(d)]
  float* attended;        // [size][padded_inner]
  float* log_normaliser;  // [heads][size]
  float* cos;             // [size][turns]
  float* sin;
  float* latents;  // [size][padded(d)]
  float* normal;
  float* transposed;  // keys of phase 2
  float* values;
  float* layer;  // a sub-layer's own scratch

  RelativeEncodeSpace(const Weights& weights, std::size_t size, kernels::Cursor& cursor);
};

// keys[i] = what layer i of the decoder attends to, given the blocks' states. The null key of the context is added
// here, where states are read.
void encode_relative(const Weights& weights, const GridQueries& grid,
                     const std::vector<kernels::AttentionState>& states, const RelativeEncodeSpace& space,
                     std::vector<LayerKeys>& keys);

// hidden [count][padded(d)] = the decoder's normalised output for targets x; count at most kTargets.
void decode_relative(const Weights& weights, const GridQueries& grid, const std::vector<LayerKeys>& keys,
                     const double* x, std::size_t count, const DecodeSpace& space, float* hidden);

}  // namespace cmanp::runtime

// What a model in relative coordinates computes, over a grid: from points to states, from states to latents and keys,
// from targets to what the heads read. As absorber.hpp, encoder.hpp and decoder.hpp have it in absolute coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::size_t columns;                          // of what is transposed, see GridQueryColumns
  kernels::Buffer<float> rows;                  // places [size][axes]
  kernels::Buffer<float> by_axis;               // [axes][columns]
  std::vector<kernels::Buffer<float>> queries;  // a block, [inner][columns]

  GridQueries(const Weights& weights, Grid of);

  // Keys and values that lie on it.
  kernels::RelativeKeys keys(const Weights& weights, const float* of, const float* values) const;

  static std::size_t bytes(const Weights& weights, const Grid& grid);
};

struct RelativeAbsorbSpace {
  float* features;  // [kChunk][padded(in)]
  float* mlp;
  float* embedded;  // [kChunk][padded(d)]
  float* places;    // [kChunk][axes]
  float* cos;       // [kChunk][turns]
  float* sin;
  float* keys;
  float* values;
  float* scores;

  RelativeAbsorbSpace(const Weights& weights, kernels::Cursor& cursor);
};

// order [count] = rows along their first x, so that what reaches the same places is dealt with together.
void sort_along(const double* x, std::size_t dim_x, std::size_t count, std::uint32_t* order);

// chunks[block] = the triple of points x, y (at least one, at most kChunk), in this order, which goes along x; null:
// they are put in order here.
void summarise_relative(const Weights& weights, const GridQueries& grid, const double* x, const double* y,
                        const std::uint32_t* order, std::size_t count, const RelativeAbsorbSpace& space,
                        std::vector<kernels::AttentionChunk>& chunks);

struct RelativeEncodeSpace {
  float* own;             // [size][padded(d)]
  float* attended;        // [size][padded_inner]
  float* log_normaliser;  // [heads][size], of every thread's rows by themselves
  float* own_cos;         // [size][turns]
  float* own_sin;
  float* latent_cos;
  float* latent_sin;
  float* latents;  // [size][padded(d)]
  float* normal;   // of own latents
  float* latent_normal;
  PassedKeys keys[2];
  float* layer;  // a sub-layer's own scratch, of the calling thread

  RelativeEncodeSpace(const Weights& weights, std::size_t size, kernels::Cursor& cursor);
};

std::size_t relative_layer_scratch(const Weights& weights, std::size_t size);  // of any thread, in floats

// keys[i] = what layer i of the decoder attends to, given the blocks' states, in stretches of work as encoder.hpp has
// them. The null key of the context is added here, where states are read.
void encode_relative(const Weights& weights, const GridQueries& grid,
                     const std::vector<kernels::AttentionState>& states, const RelativeEncodeSpace& space,
                     const Crew& crew, std::vector<LayerKeys>& keys);

// hidden [count][padded(d)] = the decoder's normalised output for targets x; count at most kTargets.
void decode_relative(const Weights& weights, const GridQueries& grid, const std::vector<LayerKeys>& keys,
                     const double* x, std::size_t count, const DecodeSpace& space, float* hidden);

}  // namespace cmanp::runtime

// How much a context allocates, and for what: computed once, used both to allocate and to tell beforehand.
#pragma once

#include <cmanp/model.hpp>
#include <cstddef>
#include <optional>

#include "runtime/grid.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

struct Layout {
  // Throws Error where options are out of bounds.
  Layout(const Weights& weights, const ContextOptions& options);

  std::optional<Grid> grid;  // in relative coordinates
  std::size_t threads = 0;
  std::size_t blocks = 0;         // CMABs
  std::size_t own_latents = 0;    // of each block
  std::size_t latents = 0;        // that queries read
  std::size_t grid_bytes = 0;     // the grid's places and queries
  std::size_t state_bytes = 0;    // triples
  std::size_t batch = 0;          // points that wait for each other, and are taken in together
  std::size_t sorted = 0;         // points or targets that are put in order at once, where the range is wide
  std::size_t pending = 0;        // doubles, x and y
  std::size_t gathered = 0;       // doubles, each thread: a tile of targets that were sorted, and its answers
  std::size_t keys = 0;           // floats a decoder layer
  std::size_t values = 0;         // floats a decoder layer
  std::size_t chunk_bytes = 0;    // triples of one chunk, a thread
  std::size_t first_scratch = 0;  // floats, the calling thread
  std::size_t other_scratch = 0;  // floats, each other thread
  std::size_t hidden = 0;         // floats, the calling thread: a joint block may be larger than a tile
  std::size_t other_hidden = 0;   // floats, each other thread

  double stretch_work = 0;  // multiply-adds of a stretch of a refresh, see encoder.hpp

  Memory memory() const;  // without the weights
};

}  // namespace cmanp::runtime

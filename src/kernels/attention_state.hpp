// The one idea: what a set of keys does to fixed queries is, for each head and query, a triple
//
//     max = largest score,  sum = sum of exp(score - max),  weighted = sum of exp(score - max) * value
//
// and triples merge: both are rescaled to the larger max and added. The merge is associative and commutative, the
// empty set is (-inf, 0, 0). Chunks, threads, machines and files all combine by it.
//
// A chunk's triple is computed in float; the running one is kept in double, since in float a sum stops growing once an
// increment falls below half an ulp. The largest score is a float, exactly.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/attention.hpp"
#include "kernels/buffer.hpp"

namespace cmanp::kernels {

// The triple of one chunk of keys.
struct AttentionChunk {
  // Queries of a head: the others saw nothing of the chunk, and nothing is said of them.
  struct Window {
    std::size_t first, last;
  };

  std::vector<Window> windows;  // [heads]; all queries, until somebody says less
  Buffer<float> max;            // [heads][queries]
  Buffer<float> sum;            // [heads][queries]
  Buffer<float> weighted;       // [heads][queries][padded(dim)]

  AttentionChunk() = default;
  AttentionChunk(const Heads& heads, std::size_t queries);

  std::size_t bytes() const { return max.bytes() + sum.bytes() + weighted.bytes(); }
  static std::size_t bytes(const Heads& heads, std::size_t queries);
};

struct AttentionState {
  Heads heads;
  std::size_t queries = 0;
  Buffer<float> max;        // [heads][queries]
  Buffer<double> sum;       // [heads][queries]
  Buffer<double> weighted;  // [heads][queries][dim]

  AttentionState() = default;
  AttentionState(const Heads& heads, std::size_t queries);

  // Back to the empty set.
  void clear();

  void absorb(const AttentionChunk& chunk);
  void merge(const AttentionState& other);

  // Forgets: all that was absorbed so far weighs exp(-by) of what it did; by [heads][queries], not negative.
  void age(const double* by);

  // log of the sum of exp(score): -inf for the empty set.
  double log_normaliser(std::size_t row) const;

  // The attention's output: weighted / sum, zeros for the empty set; out [queries][padded_inner], or some of its rows.
  void read(float* out, std::size_t ldo) const { read(0, queries, out, ldo); }
  void read(std::size_t first, std::size_t last, float* out, std::size_t ldo) const;

  std::size_t bytes() const { return max.bytes() + sum.bytes() + weighted.bytes(); }
  static std::size_t bytes(const Heads& heads, std::size_t queries);
};

}  // namespace cmanp::kernels

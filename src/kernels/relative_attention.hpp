// Attention in relative coordinates: queries, keys and values are turned by where they lie, scores are less the further
// apart they are, and what is attended to is turned back to the place of who reads:
//
//     score  = (R(p) q) · (R(p') k) - gamma |p - p'|²,   out = R(p)^-1 sum of softmax(score) R(p') v
//
// R(p) turns a head's features i and i + half by the angle omega_i · p. A null key, where there is one, is added when
// an attention is read: a score and a value (not turned) of each head. So a state of keys, AttentionState, holds turned
// values and no null key, and merges as ever.
//
// Places are floats [rows][axes] from an origin that the caller took off in double.
#pragma once

#include <cstddef>

#include "kernels/attention.hpp"
#include "kernels/attention_state.hpp"
#include "kernels/buffer.hpp"

namespace cmanp::kernels {

struct RelativeHeads {
  Heads heads;  // spread or not: what is behind a head's first 2 half features is zero
  std::size_t half = 0;
  std::size_t axes = 1;      // of a place
  Buffer<float> gamma;       // [heads]
  Buffer<float> omega;       // [axes][turns()]
  Buffer<float> null_score;  // [heads], or empty
  Buffer<float> null_value;  // [heads][padded(dim)], or empty
  Buffer<float> reach;       // [heads]: keys further away count for nothing and are left out; empty: all are read

  // As PyTorch stores them: gamma [heads], omega [heads][half][axes], null_score [heads] and null_value
  // [heads][2 half], both null for none.
  static RelativeHeads pack(const Heads& heads, std::size_t half, std::size_t axes, const float* gamma,
                            const float* omega, const float* null_score, const float* null_value);

  std::size_t turns() const { return padded(heads.count * half); }  // angles of a place
  bool has_null() const { return null_score.size() > 0; }
  std::size_t bytes() const {
    return gamma.bytes() + omega.bytes() + null_score.bytes() + null_value.bytes() + reach.bytes();
  }
};

// Cosines and sines of the angles of every place, [rows][turns()] each.
struct Turns {
  const float* cos = nullptr;
  const float* sin = nullptr;
};
void make_turns(const RelativeHeads& relative, const float* places, std::size_t rows, float* cos, float* sin);

// The same of some rows of a regular grid that begins at 0, in fewer steps; the same bits however rows are shared out.
void make_grid_turns(const RelativeHeads& relative, const float* grid, std::size_t first, std::size_t last, float* cos,
                     float* sin);

// x [rows][ld] turned in place, or turned back; a head starts every `stride` features.
enum class Way { there, back };
void turn(const RelativeHeads& relative, const Turns& turns, std::size_t rows, Way way, float* x, std::size_t ld,
          std::size_t stride);

// Places [rows][axes] as [axes][ld], zeros behind; ld is padded(rows), where it is not said.
void places_by_axis(const float* places, std::size_t rows, std::size_t axes, float* by_axis, std::size_t ld = 0);

// Queries, turned and scaled, and where they lie.
struct RelativeQueries {
  const float* q = nullptr;  // [rows][ld]
  std::size_t ld = 0;
  std::size_t rows = 0;
  const float* places = nullptr;  // [rows][axes]
};

// Turned keys and values, and where they lie. Where heads have a reach, the first axis ascends.
struct RelativeKeys {
  const float* keys = nullptr;  // [count][ld]
  std::size_t ld = 0;
  const float* values = nullptr;  // [count][ldv], padded_inner of them
  std::size_t ldv = 0;
  const float* places = nullptr;  // [count][axes]
  std::size_t count = 0;
};

// The queries of a grid: made once, and transposed, so that any sixteen of them lie side by side. Their first axis
// ascends, too.
struct GridQueryColumns {
  const float* q = nullptr;       // [inner][ld]
  const float* places = nullptr;  // [axes][ld]
  std::size_t ld = 0;
  std::size_t count = 0;

  // Room behind the last for those who read sixteen.
  static constexpr std::size_t columns(std::size_t count) { return odd_panels(count + kPanel); }
};

// Of a query's largest score and the sum of exp(score - max): by what to multiply the exponentials to have
// probabilities, and the null key's own.
struct NullShare {
  float seen;
  float null;
};
NullShare share_with_null(const RelativeHeads& relative, std::size_t head, float max, float sum);

// In floats, of attention to so many keys.
std::size_t relative_attention_scratch(const RelativeHeads& relative, std::size_t keys);

// out [rows][padded_inner]: read, turned back, and with the null key. Needs one key at least, as below. Sixteen queries
// at a time, from the first row on, so that stretches of rows that begin there give the same bits as all of them.
void attend_relative(const RelativeHeads& relative, const RelativeQueries& queries, const Turns& turns,
                     const RelativeKeys& keys, float* out, std::size_t ldo, float* scratch);

// The triple of a chunk of keys, as attend_unnormalised gives it: turned values, no null key. The chunk's windows are
// the latents that its keys reach; a latent within, but out of reach, gets the empty triple (-inf, 0, and nothing is
// said of weighted).
void attend_relative_unnormalised(const RelativeHeads& relative, const GridQueryColumns& queries,
                                  const RelativeKeys& keys, AttentionChunk& chunk, float* scratch);

// Reads what a state came to: seen [rows][padded_inner] = weighted / sum as AttentionState::read gives it, and
// log_normaliser [heads][rows] of the state; -inf: nothing seen. Turned back, and with the null key, in place.
void read_relative(const RelativeHeads& relative, const Turns& turns, const float* log_normaliser, std::size_t rows,
                   float* seen, std::size_t ld);

}  // namespace cmanp::kernels

#include "kernels/relative_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#ifndef CMANP_KERNELS_RELATIVE_ATTENTION_ONCE
#define CMANP_KERNELS_RELATIVE_ATTENTION_ONCE
namespace cmanp::kernels {

// Queries that are dealt with together, and the keys that any of them reaches.
struct ReachTile {
  std::size_t first, rows;
  std::size_t first_key, keys;
};

// From row `first` on, as many of `rows` as have neighbourhoods that are worth sharing.
inline ReachTile reach_tile(const RelativeHeads& relative, std::size_t head, const RelativeQueries& queries,
                            std::size_t first, std::size_t rows, const RelativeKeys& keys) {
  if (relative.reach.size() == 0) return {first, rows, 0, keys.keys.count};
  const float reach = relative.reach[head];
  const auto place = [&](std::size_t r) { return queries.places[(first + r) * relative.axes]; };
  float low = place(0), high = place(0);
  std::size_t taken = 1;
  for (; taken < rows; ++taken) {
    const float least = std::min(low, place(taken)), most = std::max(high, place(taken));
    if (most - least > 2 * reach) break;
    low = least;
    high = most;
  }
  const float *begin = keys.places, *end = begin + keys.keys.count;
  const float* from = std::lower_bound(begin, end, low - reach);
  const float* to = std::upper_bound(from, end, high + reach);
  const auto first_key = static_cast<std::size_t>(from - begin) / kPanel * kPanel;
  return {first, taken, first_key, from == to ? 0 : static_cast<std::size_t>(to - begin) - first_key};
}

}  // namespace cmanp::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/relative_attention.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/relative-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// A product's angle in (-pi, pi] or so: less whole turns, each product exact to the last bit where there is an FMA.
HWY_INLINE FloatVec reduced_product(FloatVec omega, FloatVec place) {
  const Floats d;
  const FloatVec angle = hn::Mul(omega, place);
  const FloatVec lost = hn::MulSub(omega, place, angle);
  const FloatVec whole = hn::Round(hn::Mul(angle, hn::Set(d, 0.159154943f)));
  // 2 pi in three parts, the first two of few bits.
  FloatVec r = hn::NegMulAdd(whole, hn::Set(d, 6.28125f), angle);
  r = hn::NegMulAdd(whole, hn::Set(d, 0.00193500518798828125f), r);
  r = hn::NegMulAdd(whole, hn::Set(d, 3.01991598196e-7f), r);
  return hn::Add(r, lost);
}

// Sine and cosine of a few turns at most: quarter turns taken off, polynomials on |r| <= pi / 4 with errors below 1e-7.
HWY_INLINE void sine_and_cosine(FloatVec angle, FloatVec& sine, FloatVec& cosine) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const auto quarter = hn::NearestInt(hn::Mul(angle, hn::Set(d, 0.636619772f)));
  const FloatVec count = hn::ConvertTo(d, quarter);
  FloatVec r = hn::NegMulAdd(count, hn::Set(d, 1.5703125f), angle);
  r = hn::NegMulAdd(count, hn::Set(d, 4.83826794897e-4f), r);
  const FloatVec z = hn::Mul(r, r);
  FloatVec s = hn::MulAdd(hn::Set(d, -1.9515295891e-4f), z, hn::Set(d, 8.3321608736e-3f));
  s = hn::MulAdd(s, z, hn::Set(d, -1.6666654611e-1f));
  s = hn::MulAdd(hn::Mul(s, z), r, r);
  FloatVec c = hn::MulAdd(hn::Set(d, 2.443315711809948e-5f), z, hn::Set(d, -1.388731625493765e-3f));
  c = hn::MulAdd(c, z, hn::Set(d, 4.166664568298827e-2f));
  c = hn::MulAdd(hn::Mul(c, z), z, hn::NegMulAdd(hn::Set(d, 0.5f), z, hn::Set(d, 1.0f)));
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quarter, one), one));
  // Bit 1 of the quarter is the sine's sign, that of the next one the cosine's.
  const auto sign = [&](auto of) { return hn::BitCast(d, hn::ShiftLeft<30>(hn::And(of, two))); };
  sine = hn::Xor(hn::IfThenElse(odd, c, s), sign(quarter));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), sign(hn::Add(quarter, one)));
}

void make_turns_target(const RelativeHeads& relative, const float* places, std::size_t rows, float* cos, float* sin) {
  const Floats d;
  const std::size_t width = relative.turns();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < width; i += kLanes) {
      FloatVec angle = hn::Zero(d);
      for (std::size_t a = 0; a < relative.axes; ++a) {
        const FloatVec omega = hn::LoadU(d, relative.omega.data() + a * width + i);
        angle = hn::Add(angle, reduced_product(omega, hn::Set(d, places[r * relative.axes + a])));
      }
      FloatVec s, c;
      sine_and_cosine(angle, s, c);
      hn::StoreU(c, d, cos + r * width + i);
      hn::StoreU(s, d, sin + r * width + i);
    }
  }
}

template <Way kWay>
HWY_INLINE void turn_rows(const RelativeHeads& relative, const Turns& turns, std::size_t rows, float* x, std::size_t ld,
                          std::size_t stride) {
  const std::size_t width = relative.turns(), half = relative.half;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < relative.heads.count; ++h) {
      const std::size_t at = r * width + h * half;
      turn_head<kWay>(x + r * ld + h * stride, half, turns.cos + at, turns.sin + at);
    }
  }
}

void turn_target(const RelativeHeads& relative, const Turns& turns, std::size_t rows, Way way, float* x, std::size_t ld,
                 std::size_t stride) {
  if (way == Way::there) return turn_rows<Way::there>(relative, turns, rows, x, ld, stride);
  turn_rows<Way::back>(relative, turns, rows, x, ld, stride);
}

// A head's row of sums to what is read: scaled, turned back, and the null's share added.
HWY_INLINE void read_head(const RelativeHeads& relative, std::size_t head, const Turns& turns, std::size_t row,
                          const NullShare& share, float* out) {
  const Floats d;
  const std::size_t at = row * relative.turns() + head * relative.half, dim = padded(relative.heads.dim);
  turn_head<Way::back>(out, relative.half, turns.cos + at, turns.sin + at);
  const FloatVec seen = hn::Set(d, share.seen), null = hn::Set(d, share.null);
  for (std::size_t i = 0; i < dim; i += kLanes) {
    FloatVec value = hn::Mul(hn::LoadU(d, out + i), seen);
    if (relative.has_null()) value = hn::MulAdd(hn::LoadU(d, relative.null_value.data() + head * dim + i), null, value);
    hn::StoreU(value, d, out + i);
  }
}

// Some queries of one head read the keys of a window, which begins on a panel.
HWY_INLINE void relative_tile(const RelativeHeads& relative, std::size_t head, const RelativeQueries& queries,
                              const ReachTile& tile, const RelativeKeys& keys, float* scores, float* max, float* sum,
                              float* out, std::size_t ldo) {
  const std::size_t dim = padded(relative.heads.dim);
  relative_score_tile(relative, head, queries, tile.first, tile.rows,
                      keys.keys.transposed + tile.first_key * relative.heads.inner(), keys.places + tile.first_key,
                      padded(keys.keys.count), tile.keys, scores, max, sum);
  const float* values = keys.keys.values + tile.first_key * relative.heads.padded_inner() + head * dim;
  for (std::size_t j = 0; j < dim; j += kPanel) {
    rows_times_panel<Start::zero>(scores, padded(tile.keys), tile.rows, values + j, relative.heads.padded_inner(),
                                  tile.keys, nullptr, out + j, ldo);
  }
}

void attend_relative_target(const RelativeHeads& relative, const RelativeQueries& queries, const Turns& turns,
                            const RelativeKeys& keys, float* out, std::size_t ldo, float* scratch) {
  float max[kRowTile], sum[kRowTile];
  for (std::size_t h = 0; h < relative.heads.count; ++h) {
    for (std::size_t r = 0; r < queries.rows;) {
      ReachTile tile = reach_tile(relative, h, queries, r, HWY_MIN(kRowTile, queries.rows - r), keys);
      if (tile.keys == 0) {  // beyond all keys: the nearest of them
        tile.first_key = HWY_MIN(tile.first_key, (keys.keys.count - 1) / kPanel * kPanel);
        tile.keys = HWY_MIN(kPanel, keys.keys.count - tile.first_key);
      }
      float* to = out + r * ldo + h * padded(relative.heads.dim);
      relative_tile(relative, h, queries, tile, keys, scratch, max, sum, to, ldo);
      for (std::size_t t = 0; t < tile.rows; ++t) {
        read_head(relative, h, turns, r + t, share_with_null(relative, h, max[t], sum[t]), to + t * ldo);
      }
      r += tile.rows;
    }
  }
}

void attend_relative_unnormalised_target(const RelativeHeads& relative, const RelativeQueries& queries,
                                         const RelativeKeys& keys, float* max, float* sum, float* weighted,
                                         float* scratch) {
  const std::size_t dim = padded(relative.heads.dim);
  for (std::size_t h = 0; h < relative.heads.count; ++h) {
    for (std::size_t r = 0; r < queries.rows;) {
      const std::size_t at = h * queries.rows + r;
      const ReachTile tile = reach_tile(relative, h, queries, r, HWY_MIN(kRowTile, queries.rows - r), keys);
      if (tile.keys > 0) {
        relative_tile(relative, h, queries, tile, keys, scratch, max + at, sum + at, weighted + at * dim, dim);
      } else {
        std::fill_n(max + at, tile.rows, -std::numeric_limits<float>::infinity());
        std::fill_n(sum + at, tile.rows, 0.0f);
      }
      r += tile.rows;
    }
  }
}

void read_relative_target(const RelativeHeads& relative, const Turns& turns, const float* log_normaliser,
                          std::size_t rows, float* seen, std::size_t ld) {
  for (std::size_t h = 0; h < relative.heads.count; ++h) {
    for (std::size_t r = 0; r < rows; ++r) {
      // Sums are taken for 1 at the largest score that the normaliser says.
      const float normaliser = log_normaliser[h * rows + r];
      const bool nothing = normaliser == -std::numeric_limits<float>::infinity();
      const NullShare share = nothing ? NullShare{0.0f, 1.0f} : share_with_null(relative, h, normaliser, 1.0f);
      read_head(relative, h, turns, r, share, seen + r * ld + h * padded(relative.heads.dim));
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(make_turns_target);
HWY_EXPORT(turn_target);
HWY_EXPORT(attend_relative_target);
HWY_EXPORT(attend_relative_unnormalised_target);
HWY_EXPORT(read_relative_target);

NullShare share_with_null(const RelativeHeads& relative, std::size_t head, float max, float sum) {
  if (!relative.has_null()) return {1.0f / sum, 0.0f};
  const float largest = std::max(max, relative.null_score[head]);
  const float seen = std::exp(max - largest), null = std::exp(relative.null_score[head] - largest);
  const float total = sum * seen + null;
  return {seen / total, null / total};
}

RelativeHeads RelativeHeads::pack(const Heads& heads, std::size_t half, std::size_t axes, const float* gamma,
                                  const float* omega, const float* null_score, const float* null_value) {
  const std::size_t width = padded(heads.count * half), dim = padded(heads.dim);
  RelativeHeads packed{heads, half, axes, Buffer<float>(heads.count), Buffer<float>(axes * width), {}, {}, {}};
  std::copy_n(gamma, heads.count, packed.gamma.data());
  for (std::size_t i = 0; i < heads.count * half; ++i) {
    for (std::size_t a = 0; a < axes; ++a) packed.omega[a * width + i] = omega[i * axes + a];
  }
  if (null_score == nullptr) return packed;
  packed.null_score = Buffer<float>(heads.count);
  packed.null_value = Buffer<float>(heads.count * dim);
  std::copy_n(null_score, heads.count, packed.null_score.data());
  for (std::size_t h = 0; h < heads.count; ++h) {
    std::copy_n(null_value + h * 2 * half, 2 * half, packed.null_value.data() + h * dim);
  }
  return packed;
}

void make_turns(const RelativeHeads& relative, const float* places, std::size_t rows, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(make_turns_target)(relative, places, rows, cos, sin);
}

void turn(const RelativeHeads& relative, const Turns& turns, std::size_t rows, Way way, float* x, std::size_t ld,
          std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(turn_target)(relative, turns, rows, way, x, ld, stride);
}

void places_by_axis(const float* places, std::size_t rows, std::size_t axes, float* by_axis) {
  const std::size_t stop = padded(rows);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t r = 0; r < stop; ++r) by_axis[a * stop + r] = r < rows ? places[r * axes + a] : 0.0f;
  }
}

void attend_relative(const RelativeHeads& relative, const RelativeQueries& queries, const Turns& turns,
                     const RelativeKeys& keys, float* out, std::size_t ldo, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_relative_target)(relative, queries, turns, keys, out, ldo, scratch);
}

void attend_relative_unnormalised(const RelativeHeads& relative, const RelativeQueries& queries,
                                  const RelativeKeys& keys, float* max, float* sum, float* weighted, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_relative_unnormalised_target)(relative, queries, keys, max, sum, weighted, scratch);
}

void read_relative(const RelativeHeads& relative, const Turns& turns, const float* log_normaliser, std::size_t rows,
                   float* seen, std::size_t ld) {
  HWY_DYNAMIC_DISPATCH(read_relative_target)(relative, turns, log_normaliser, rows, seen, ld);
}

}  // namespace cmanp::kernels
#endif

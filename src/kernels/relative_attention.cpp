#include "kernels/relative_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/linear.hpp"

#ifndef CMANP_KERNELS_RELATIVE_ATTENTION_ONCE
#define CMANP_KERNELS_RELATIVE_ATTENTION_ONCE
namespace cmanp::kernels {

// Some of many, one behind the other.
struct Stretch {
  std::size_t first, last;

  std::size_t count() const { return last - first; }
};

// Of places that ascend along their first axis, which stand every `step`: how many are below `place`, and not above.
inline std::size_t places_below(const float* places, std::size_t step, std::size_t count, float place) {
  std::size_t low = 0;
  for (std::size_t high = count; low < high;) {
    const std::size_t middle = (low + high) / 2;
    places[middle * step] < place ? low = middle + 1 : high = middle;
  }
  return low;
}

inline std::size_t places_up_to(const float* places, std::size_t step, std::size_t count, float place) {
  return places_below(places, step, count, std::nextafter(place, std::numeric_limits<float>::infinity()));
}

// The keys that somebody at a place from `low` to `high` reaches.
inline Stretch reached_keys(const RelativeHeads& relative, std::size_t head, const RelativeKeys& keys, float low,
                            float high) {
  if (relative.reach.size() == 0) return {0, keys.count};
  const float reach = relative.reach[head];
  const std::size_t first = places_below(keys.places, relative.axes, keys.count, low - reach);
  return {first,
          first + places_up_to(keys.places + first * relative.axes, relative.axes, keys.count - first, high + reach)};
}

// Queries of a panel that are dealt with together: from `first` on, as many as have neighbourhoods worth sharing.
struct Company {
  Stretch queries, keys;
};

inline Company company(const RelativeHeads& relative, std::size_t head, const float* places, std::size_t first,
                       std::size_t count, const RelativeKeys& keys) {
  if (relative.reach.size() == 0) return {{first, count}, {0, keys.count}};
  float low = places[first], high = low;
  std::size_t last = first + 1;
  for (; last < count; ++last) {
    const float least = std::min(low, places[last]), most = std::max(high, places[last]);
    if (most - least > 2 * relative.reach[head]) break;
    low = least;
    high = most;
  }
  Stretch reached = reached_keys(relative, head, keys, low, high);
  if (reached.count() == 0) {  // beyond all keys: the nearest of them
    reached.first = std::min(reached.first, keys.count - 1);
    reached.last = reached.first + 1;
  }
  return {{first, last}, reached};
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

// One head of sixteen queries. They lie along the vectors, so that the largest scores, sums and penalties of all come
// without a step across lanes, and a window of keys may begin and end anywhere.
struct PanelHead {
  const float* q;       // [dim][ld]
  const float* places;  // [axes][ld]
  std::size_t ld;
  std::size_t dim, axes;
  float gamma;
};

// Scores [kRows][16] of some keys, and the largest so far. Most places have one axis.
template <std::size_t kRows, bool kOneAxis>
HWY_INLINE void score_keys(const PanelHead& panel, const float* keys, std::size_t ld, const float* key_places,
                           float* scores, float* largest) {
  const Floats d;
  const std::size_t axes = kOneAxis ? 1 : panel.axes;
  const FloatVec minus_gamma = hn::Set(d, -panel.gamma);
  FloatVec acc[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      acc[r][v] =
          hn::Mul(minus_gamma, squared_distance(key_places + r * axes, panel.places + v * kLanes, axes, panel.ld));
    }
  }
  multiply_add<kRows, 1, Left::rows>(keys, ld, {panel.q, panel.ld, 0}, panel.dim, acc);
  for (std::size_t v = 0; v < kVectors; ++v) {
    FloatVec most = hn::LoadU(d, largest + v * kLanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      most = hn::Max(most, acc[r][v]);
      hn::StoreU(acc[r][v], d, scores + r * kPanel + v * kLanes);
    }
    hn::StoreU(most, d, largest + v * kLanes);
  }
}

template <bool kOneAxis, std::size_t kRows = kRowTile>
HWY_INLINE void score_some_keys(std::size_t rows, const PanelHead& panel, const float* keys, std::size_t ld,
                                const float* key_places, float* scores, float* largest) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return score_keys<kRows, kOneAxis>(panel, keys, ld, key_places, scores, largest);
    score_some_keys<kOneAxis, kRows - 1>(rows, panel, keys, ld, key_places, scores, largest);
  }
}

template <bool kOneAxis>
HWY_INLINE void score_window(const PanelHead& panel, const float* keys, std::size_t ld, const float* places,
                             std::size_t count, float* scores, float* largest) {
  Tiles tiles(count);
  for (std::size_t r = 0, rows; r < count; r += rows) {
    rows = tiles.next();
    score_some_keys<kOneAxis>(rows, panel, keys + r * ld, ld, places + r * panel.axes, scores + r * kPanel, largest);
  }
}

// scores [keys][16] = exp(score - max), of features from `at` on; max and sum [16]. A function by itself, as the next:
// its loops need all registers.
HWY_NOINLINE void weigh_keys(const PanelHead& panel, const RelativeKeys& keys, std::size_t at, const Stretch& window,
                             float* scores, float* max, float* sum) {
  const Floats d;
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(hn::Set(d, -std::numeric_limits<float>::infinity()), d, max + v * kLanes);
  }
  const std::size_t count = window.count();
  const float* rows = keys.keys + window.first * keys.ld + at;
  const float* places = keys.places + window.first * panel.axes;
  if (panel.axes == 1) {
    score_window<true>(panel, rows, keys.ld, places, count, scores, max);
  } else {
    score_window<false>(panel, rows, keys.ld, places, count, scores, max);
  }
  FloatVec most[kVectors], total[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    most[v] = hn::LoadU(d, max + v * kLanes);
    total[v] = hn::Zero(d);
  }
  for (std::size_t i = 0; i < count * kPanel; i += kPanel) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* score = scores + i + v * kLanes;
      const FloatVec e = exp_of_score(d, hn::Sub(hn::LoadU(d, score), most[v]));
      hn::StoreU(e, d, score);
      total[v] = hn::Add(total[v], e);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(total[v], d, sum + v * kLanes);
}

// out [queries][ldo], of one head = the sum of weights * value, for queries from `first` of the panel on.
HWY_NOINLINE void weighted_values(const Heads& heads, std::size_t head, const RelativeKeys& keys, const Stretch& window,
                                  const float* scores, const Stretch& queries, float* out, std::size_t ldo) {
  const std::size_t dim = padded(heads.dim);
  const float* values = keys.values + window.first * keys.ldv + head * dim;
  for (std::size_t j = 0; j < dim; j += kPanel) {
    rows_times_panel<Start::zero, Finish::none, Left::columns>(
        scores + queries.first, kPanel, queries.count(), values + j, keys.ldv, window.count(), nullptr, out + j, ldo);
  }
}

// Of sixteen sums: without a null key, what share_with_null says.
HWY_INLINE void reciprocals(float* sum) {
  const Floats d;
  for (std::size_t v = 0; v < kPanel; v += kLanes) {
    hn::StoreU(hn::Div(hn::Set(d, 1.0f), hn::LoadU(d, sum + v)), d, sum + v);
  }
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

void attend_relative_target(const RelativeHeads& relative, const RelativeQueries& queries, const Turns& turns,
                            const RelativeKeys& keys, float* out, std::size_t ldo, float* scratch) {
  const Heads& heads = relative.heads;
  float* panel = scratch;                           // [inner][16]
  float* places = panel + heads.inner() * kPanel;   // [axes][16]
  float* scores = places + relative.axes * kPanel;  // [keys][16]
  HWY_ALIGN float max[kPanel], sum[kPanel];
  for (std::size_t begin = 0; begin < queries.rows; begin += kPanel) {
    const std::size_t rows = HWY_MIN(kPanel, queries.rows - begin);
    transpose_to_panels(queries.q + begin * queries.ld, queries.ld, rows, heads.inner(), panel);
    places_by_axis(queries.places + begin * relative.axes, rows, relative.axes, places);
    for (std::size_t h = 0; h < heads.count; ++h) {
      const PanelHead of{panel + h * heads.dim * kPanel, places, kPanel, heads.dim, relative.axes, relative.gamma[h]};
      for (std::size_t first = 0; first < rows;) {
        const Company some = company(relative, h, places, first, rows, keys);
        float* to = out + (begin + first) * ldo + h * padded(heads.dim);
        weigh_keys(of, keys, h * heads.dim, some.keys, scores, max, sum);
        weighted_values(heads, h, keys, some.keys, scores, some.queries, to, ldo);
        if (!relative.has_null()) reciprocals(sum);
        for (std::size_t r = first; r < some.queries.last; ++r) {
          const NullShare share =
              relative.has_null() ? share_with_null(relative, h, max[r], sum[r]) : NullShare{sum[r], 0.0f};
          read_head(relative, h, turns, begin + r, share, to + (r - first) * ldo);
        }
        first = some.queries.last;
      }
    }
  }
}

void attend_relative_unnormalised_target(const RelativeHeads& relative, const GridQueryColumns& queries,
                                         const RelativeKeys& keys, AttentionChunk& chunk, float* scratch) {
  const Heads& heads = relative.heads;
  const std::size_t dim = padded(heads.dim);
  const float lowest = keys.places[0], highest = keys.places[(keys.count - 1) * relative.axes];
  HWY_ALIGN float max[kPanel], sum[kPanel];
  for (std::size_t h = 0; h < heads.count; ++h) {
    // The latents that any of these keys reaches, sixteen at a time from the first of them on.
    AttentionChunk::Window& reached = chunk.windows[h];
    reached = {0, queries.count};
    if (relative.reach.size() > 0) {
      const float reach = relative.reach[h];
      reached.first = places_below(queries.places, 1, queries.count, lowest - reach);
      reached.last = std::max(reached.first, places_up_to(queries.places, 1, queries.count, highest + reach));
    }
    for (std::size_t first = reached.first; first < reached.last; first += kPanel) {
      const std::size_t rows = HWY_MIN(kPanel, reached.last - first), at = h * queries.count + first;
      const Stretch window = reached_keys(relative, h, keys, queries.places[first], queries.places[first + rows - 1]);
      if (window.count() == 0) {
        std::fill_n(chunk.max.data() + at, rows, -std::numeric_limits<float>::infinity());
        std::fill_n(chunk.sum.data() + at, rows, 0.0f);
        continue;
      }
      const PanelHead of{queries.q + h * heads.dim * queries.ld + first,
                         queries.places + first,
                         queries.ld,
                         heads.dim,
                         relative.axes,
                         relative.gamma[h]};
      weigh_keys(of, keys, h * heads.dim, window, scratch, max, sum);
      std::copy_n(max, rows, chunk.max.data() + at);
      std::copy_n(sum, rows, chunk.sum.data() + at);
      weighted_values(heads, h, keys, window, scratch, {0, rows}, chunk.weighted.data() + at * dim, dim);
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

void places_by_axis(const float* places, std::size_t rows, std::size_t axes, float* by_axis, std::size_t ld) {
  const std::size_t stop = ld == 0 ? padded(rows) : ld;
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t r = 0; r < stop; ++r) by_axis[a * stop + r] = r < rows ? places[r * axes + a] : 0.0f;
  }
}

std::size_t relative_attention_scratch(const RelativeHeads& relative, std::size_t keys) {
  return (relative.heads.inner() + relative.axes + keys) * kPanel;
}

void attend_relative(const RelativeHeads& relative, const RelativeQueries& queries, const Turns& turns,
                     const RelativeKeys& keys, float* out, std::size_t ldo, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_relative_target)(relative, queries, turns, keys, out, ldo, scratch);
}

void attend_relative_unnormalised(const RelativeHeads& relative, const GridQueryColumns& queries,
                                  const RelativeKeys& keys, AttentionChunk& chunk, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_relative_unnormalised_target)(relative, queries, keys, chunk, scratch);
}

void read_relative(const RelativeHeads& relative, const Turns& turns, const float* log_normaliser, std::size_t rows,
                   float* seen, std::size_t ld) {
  HWY_DYNAMIC_DISPATCH(read_relative_target)(relative, turns, log_normaliser, rows, seen, ld);
}

}  // namespace cmanp::kernels
#endif

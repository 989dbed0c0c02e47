#include "kernels/attention_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_state.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// Rows whose rescaling factors are computed together.
constexpr std::size_t kRows = 64;

// to[i] = to[i] * keep + from[i] * take
HWY_INLINE void rescale_add(double* to, const float* from, std::size_t count, double keep, double take) {
#if HWY_HAVE_FLOAT64
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto keeps = hn::Set(d, keep);
  const auto takes = hn::Set(d, take);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto added = hn::Mul(hn::PromoteTo(d, hn::LoadU(half, from + i)), takes);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, to + i), keeps, added), d, to + i);
  }
#else
  std::size_t i = 0;
#endif
  for (; i < count; ++i) to[i] = to[i] * keep + static_cast<double>(from[i]) * take;
}

// Rows [begin, end) of a state and a chunk.
HWY_INLINE void absorb_rows(AttentionState& state, const AttentionChunk& chunk, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<float> d;
  const std::size_t dim = state.heads.dim;
  HWY_ALIGN float keep[kRows + hn::MaxLanes(hn::ScalableTag<float>())];
  HWY_ALIGN float take[kRows + hn::MaxLanes(hn::ScalableTag<float>())];
  for (; begin < end; begin += kRows) {
    const std::size_t rows = HWY_MIN(kRows, end - begin);
    for (std::size_t r = 0; r < rows; ++r) {
      const float largest = HWY_MAX(state.max[begin + r], chunk.max[begin + r]);
      keep[r] = state.max[begin + r] - largest;
      take[r] = chunk.max[begin + r] - largest;
      state.max[begin + r] = largest;
    }
    for (std::size_t r = 0; r < rows; r += hn::Lanes(d)) {
      hn::StoreU(exp_no_overflow(d, hn::LoadU(d, keep + r)), d, keep + r);
      hn::StoreU(exp_no_overflow(d, hn::LoadU(d, take + r)), d, take + r);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t row = begin + r;
      if (chunk.sum[row] == 0.0f) continue;  // no key within reach
      const double keep_row = static_cast<double>(keep[r]);
      const double take_row = static_cast<double>(take[r]);
      state.sum[row] = state.sum[row] * keep_row + static_cast<double>(chunk.sum[row]) * take_row;
      rescale_add(state.weighted.data() + row * dim, chunk.weighted.data() + row * padded(dim), dim, keep_row,
                  take_row);
    }
  }
}

void absorb_target(AttentionState& state, const AttentionChunk& chunk) {
  for (std::size_t h = 0; h < state.heads.count; ++h) {
    const std::size_t first = h * state.queries;
    absorb_rows(state, chunk, first + chunk.windows[h].first, first + chunk.windows[h].last);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(absorb_target);

AttentionChunk::AttentionChunk(const Heads& heads, std::size_t queries)
    : windows(heads.count, {0, queries}),
      max(heads.count * queries),
      sum(heads.count * queries),
      weighted(heads.count * queries * padded(heads.dim)) {}

std::size_t AttentionChunk::bytes(const Heads& heads, std::size_t queries) {
  return heads.count * queries * (2 + padded(heads.dim)) * sizeof(float);
}

AttentionState::AttentionState(const Heads& heads_, std::size_t queries_)
    : heads(heads_),
      queries(queries_),
      max(heads.count * queries),
      sum(heads.count * queries),
      weighted(heads.count * queries * heads.dim) {
  clear();
}

std::size_t AttentionState::bytes(const Heads& heads, std::size_t queries) {
  return heads.count * queries * (sizeof(float) + (1 + heads.dim) * sizeof(double));
}

void AttentionState::clear() {
  std::fill(max.begin(), max.end(), -std::numeric_limits<float>::infinity());
  std::fill(sum.begin(), sum.end(), 0.0);
  std::fill(weighted.begin(), weighted.end(), 0.0);
}

void AttentionState::absorb(const AttentionChunk& chunk) { HWY_DYNAMIC_DISPATCH(absorb_target)(*this, chunk); }

void AttentionState::merge(const AttentionState& other) {
  const std::size_t dim = heads.dim;
  for (std::size_t row = 0; row < max.size(); ++row) {
    const float largest = std::max(max[row], other.max[row]);
    if (other.sum[row] == 0.0) continue;
    const double keep = sum[row] == 0.0 ? 0.0 : std::exp(static_cast<double>(max[row]) - static_cast<double>(largest));
    const double take = std::exp(static_cast<double>(other.max[row]) - static_cast<double>(largest));
    max[row] = largest;
    sum[row] = sum[row] * keep + other.sum[row] * take;
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i) {
      weighted[i] = weighted[i] * keep + other.weighted[i] * take;
    }
  }
}

void AttentionState::age(const double* by) {
  constexpr double kNothing = 700;  // exp(-700) of it is left: less than the smallest part of a double
  const std::size_t dim = heads.dim;
  for (std::size_t row = 0; row < max.size(); ++row) {
    if (sum[row] == 0.0) continue;
    if (!(by[row] < kNothing)) {
      max[row] = -std::numeric_limits<float>::infinity();
      sum[row] = 0.0;
      std::fill_n(weighted.data() + row * dim, dim, 0.0);
      continue;
    }
    const double aged = static_cast<double>(max[row]) - by[row];
    max[row] = static_cast<float>(aged);
    // What the float rounds off goes into the sums, or it would add up over a long stream.
    const double rest = std::exp(aged - static_cast<double>(max[row]));
    sum[row] *= rest;
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i) weighted[i] *= rest;
  }
}

double AttentionState::log_normaliser(std::size_t row) const {
  return static_cast<double>(max[row]) + std::log(sum[row]);
}

void AttentionState::read(std::size_t first, std::size_t last, float* out, std::size_t ldo) const {
  const std::size_t dim = heads.dim;
  for (std::size_t h = 0; h < heads.count; ++h) {
    for (std::size_t q = first; q < last; ++q) {
      const std::size_t row = h * queries + q;
      const double scale = sum[row] > 0.0 ? 1.0 / sum[row] : 0.0;
      float* to = out + (q - first) * ldo + h * padded(dim);
      for (std::size_t i = 0; i < dim; ++i) to[i] = static_cast<float>(weighted[row * dim + i] * scale);
      for (std::size_t i = dim; i < padded(dim); ++i) to[i] = 0.0f;
    }
  }
}

}  // namespace cmanp::kernels
#endif

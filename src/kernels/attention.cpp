#include "kernels/attention.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/math-inl.hpp"
#include "kernels/matmul-inl.hpp"

#ifndef CMANP_KERNELS_ATTENTION_ONCE
#define CMANP_KERNELS_ATTENTION_ONCE
namespace cmanp::kernels {
// Queries at once; the largest row tile of any target, so that scratch has one size.
inline constexpr std::size_t kQueryTile = 12;
}  // namespace cmanp::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// scores[r][.] = exp(scores[r][.] - max); gives max and sum of each row. `stop` is the padded number of keys.
HWY_INLINE void exponentiate(float* scores, std::size_t stop, std::size_t rows, float* max, float* sum) {
  const Floats d;
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = scores + r * stop;
    FloatVec largest[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) largest[v] = hn::LoadU(d, row + v * kLanes);
    for (std::size_t i = kPanel; i < stop; i += kPanel) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        largest[v] = hn::Max(largest[v], hn::LoadU(d, row + i + v * kLanes));
      }
    }
    for (std::size_t v = 1; v < kVectors; ++v) largest[0] = hn::Max(largest[0], largest[v]);
    const FloatVec row_max = hn::MaxOfLanes(d, largest[0]);
    FloatVec total[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) total[v] = hn::Zero(d);
    for (std::size_t i = 0; i < stop; i += kPanel) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        float* at = row + i + v * kLanes;
        const FloatVec e = exp_no_overflow(d, hn::Sub(hn::LoadU(d, at), row_max));
        hn::StoreU(e, d, at);
        total[v] = hn::Add(total[v], e);
      }
    }
    for (std::size_t v = 1; v < kVectors; ++v) total[0] = hn::Add(total[0], total[v]);
    max[r] = hn::GetLane(row_max);
    sum[r] = hn::GetLane(hn::SumOfLanes(d, total[0]));
  }
}

// One head, up to kQueryTile queries: out [rows][ldo] = sum of exp(score - max) * value.
HWY_INLINE void attend_tile(const Heads& heads, std::size_t head, const float* q, std::size_t ldq, std::size_t rows,
                            const Keys& keys, float* scores, float* max, float* sum, float* out, std::size_t ldo) {
  const std::size_t stop = padded(keys.count);
  const std::size_t key_panel = heads.inner() * kPanel;
  for (std::size_t p = 0; p < stop / kPanel; ++p) {
    rows_times_panel<Start::zero>(q + head * heads.dim, ldq, rows,
                                  keys.transposed + p * key_panel + head * heads.dim * kPanel, kPanel, heads.dim,
                                  nullptr, scores + p * kPanel, stop);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = keys.count; i < stop; ++i) scores[r * stop + i] = -std::numeric_limits<float>::infinity();
  }
  exponentiate(scores, stop, rows, max, sum);
  for (std::size_t j = 0; j < padded(heads.dim); j += kPanel) {
    rows_times_panel<Start::zero>(scores, stop, rows, keys.values + head * padded(heads.dim) + j, heads.padded_inner(),
                                  keys.count, nullptr, out + j, ldo);
  }
}

void attend_target(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys, float* out,
                   std::size_t ldo, float* scratch) {
  const Floats d;
  float max[kQueryTile];
  float sum[kQueryTile];
  for (std::size_t h = 0; h < heads.count; ++h) {
    for (std::size_t r = 0; r < rows; r += kRowTile) {
      const std::size_t tile_rows = HWY_MIN(kRowTile, rows - r);
      float* tile_out = out + r * ldo + h * padded(heads.dim);
      attend_tile(heads, h, q + r * ldq, ldq, tile_rows, keys, scratch, max, sum, tile_out, ldo);
      for (std::size_t t = 0; t < tile_rows; ++t) {
        const FloatVec scale = hn::Set(d, 1.0f / sum[t]);
        for (std::size_t i = 0; i < padded(heads.dim); i += kLanes) {
          float* at = tile_out + t * ldo + i;
          hn::StoreU(hn::Mul(hn::LoadU(d, at), scale), d, at);
        }
      }
    }
  }
}

void attend_unnormalised_target(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys,
                                float* max, float* sum, float* weighted, float* scratch) {
  const std::size_t dim = padded(heads.dim);
  for (std::size_t h = 0; h < heads.count; ++h) {
    for (std::size_t r = 0; r < rows; r += kRowTile) {
      const std::size_t at = h * rows + r;
      attend_tile(heads, h, q + r * ldq, ldq, HWY_MIN(kRowTile, rows - r), keys, scratch, max + at, sum + at,
                  weighted + at * dim, dim);
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(attend_target);
HWY_EXPORT(attend_unnormalised_target);

std::size_t attention_scratch(std::size_t keys) { return kQueryTile * padded(keys); }

void attend(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys, float* out,
            std::size_t ldo, float* scratch) {
  if (keys.count == 0) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < heads.padded_inner(); ++i) out[r * ldo + i] = 0.0f;
    }
    return;
  }
  HWY_DYNAMIC_DISPATCH(attend_target)(heads, q, ldq, rows, keys, out, ldo, scratch);
}

void attend_unnormalised(const Heads& heads, const float* q, std::size_t ldq, std::size_t rows, const Keys& keys,
                         float* max, float* sum, float* weighted, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend_unnormalised_target)(heads, q, ldq, rows, keys, max, sum, weighted, scratch);
}

}  // namespace cmanp::kernels
#endif

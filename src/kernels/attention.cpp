#include "kernels/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/softmax-inl.hpp"

#ifndef CMANP_KERNELS_ATTENTION_ONCE
#define CMANP_KERNELS_ATTENTION_ONCE
namespace cmanp::kernels {
// Queries at once; the largest row tile of any target, so that scratch has one size.
inline constexpr std::size_t kQueryTile = 12;
}  // namespace cmanp::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// One head, up to kQueryTile queries from `first` on: out [rows][ldo] = sum of exp(score - max) * value.
HWY_INLINE void attend_tile(const Heads& heads, std::size_t head, const float* q, std::size_t ldq, std::size_t first,
                            std::size_t rows, const Keys& keys, float* scores, float* max, float* sum, float* out,
                            std::size_t ldo) {
  const std::size_t* visible = keys.visible == nullptr ? nullptr : keys.visible + first;
  const std::size_t count = most_visible(visible, rows, keys.count);
  score_tile(heads, head, q + first * ldq, ldq, rows, keys.transposed, count, visible, scores, max, sum);
  for (std::size_t j = 0; j < padded(heads.dim); j += kPanel) {
    rows_times_panel<Start::zero>(scores, padded(count), rows, keys.values + head * padded(heads.dim) + j,
                                  heads.padded_inner(), count, nullptr, out + j, ldo);
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
      attend_tile(heads, h, q, ldq, r, tile_rows, keys, scratch, max, sum, tile_out, ldo);
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
      attend_tile(heads, h, q, ldq, r, HWY_MIN(kRowTile, rows - r), keys, scratch, max + at, sum + at,
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

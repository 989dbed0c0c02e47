#include "kernels/backward/attention_backward.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/attention_backward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/backward/softmax_backward-inl.hpp"
#include "kernels/softmax-inl.hpp"

#ifndef CMANP_KERNELS_ATTENTION_BACKWARD_ONCE
#define CMANP_KERNELS_ATTENTION_BACKWARD_ONCE
namespace cmanp::kernels {
// Queries whose probabilities and their gradient are in memory at once; a multiple of every row tile.
inline constexpr std::size_t kBackwardRows = 96;
}  // namespace cmanp::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

void attend_backward_target(const Heads& heads, const float* q, std::size_t rows, const KeysBackward& keys,
                            const float* up, float* dq, float* dkeys, float* dvalues, float* scratch,
                            const WholeContext* whole) {
  const std::size_t inner = heads.inner();
  float* probabilities = scratch;                                        // [kBackwardRows][stop]
  float* gradient = probabilities + kBackwardRows * padded(keys.count);  // [kBackwardRows][stop]
  for (std::size_t begin = 0; begin < rows; begin += kBackwardRows) {
    const std::size_t block = HWY_MIN(kBackwardRows, rows - begin);
    const std::size_t* visible = keys.visible == nullptr ? nullptr : keys.visible + begin;
    const std::size_t count = most_visible(visible, block, keys.count), stop = padded(count);
    for (std::size_t h = 0; h < heads.count; ++h) {
      const std::size_t at = h * heads.dim;
      const float* block_q = q + begin * inner;
      const float* block_up = up + begin * inner + at;
      for (std::size_t r = 0; r < block; r += kRowTile) {
        const std::size_t tile_rows = HWY_MIN(kRowTile, block - r);
        float max[kRowTile], sum[kRowTile];
        score_tile(heads, h, block_q + r * inner, inner, tile_rows, keys.keys_transposed, count,
                   visible == nullptr ? nullptr : visible + r, probabilities + r * stop, max, sum);
        rows_times_panels<Start::zero>(block_up + r * inner, inner, tile_rows,
                                       {keys.values_transposed + at * kPanel, kPanel, inner * kPanel}, panels(count),
                                       heads.dim, nullptr, gradient + r * stop, stop);
        for (std::size_t t = 0; t < tile_rows; ++t) {
          const std::size_t of_whole = h * rows + begin + r + t;
          const float factor =
              whole == nullptr ? 1.0f / sum[t] : std::exp(max[t] - whole->max[of_whole]) / whole->sum[of_whole];
          softmax_backward(probabilities + (r + t) * stop, gradient + (r + t) * stop, stop, factor,
                           whole == nullptr ? nullptr : whole->mean + of_whole);
        }
      }
      for (std::size_t j = at; j < at + heads.dim; j += kPanel) {
        rows_times_panel<Start::add, Finish::none, Left::columns>(probabilities, stop, count, up + begin * inner + j,
                                                                  inner, block, nullptr, dvalues + j, inner);
        rows_times_panel<Start::add, Finish::none, Left::columns>(gradient, stop, count, block_q + j, inner, block,
                                                                  nullptr, dkeys + j, inner);
        rows_times_panel<Start::zero>(gradient, stop, block, keys.keys + j, inner, count, nullptr,
                                      dq + begin * inner + j, inner);
      }
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(attend_backward_target);

std::size_t attend_backward_scratch(std::size_t keys) { return 2 * kBackwardRows * padded(keys); }

void attend_backward(const Heads& heads, const float* q, std::size_t rows, const KeysBackward& keys, const float* up,
                     float* dq, float* dkeys, float* dvalues, float* scratch, const WholeContext* whole) {
  if (keys.count == 0) {
    std::fill_n(dq, rows * heads.inner(), 0.0f);
    return;
  }
  HWY_DYNAMIC_DISPATCH(attend_backward_target)(heads, q, rows, keys, up, dq, dkeys, dvalues, scratch, whole);
}

}  // namespace cmanp::kernels
#endif

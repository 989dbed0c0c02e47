// Rows of scores to exponentials, compiled once per target.
#if defined(CMANP_KERNELS_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_SOFTMAX_INL
#undef CMANP_KERNELS_SOFTMAX_INL
#else
#define CMANP_KERNELS_SOFTMAX_INL
#endif

#include <limits>

#include "kernels/attention.hpp"
#include "kernels/math-inl.hpp"
#include "kernels/matmul-inl.hpp"

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
        const FloatVec e = exp_of_score(d, hn::Sub(hn::LoadU(d, at), row_max));
        hn::StoreU(e, d, at);
        total[v] = hn::Add(total[v], e);
      }
    }
    for (std::size_t v = 1; v < kVectors; ++v) total[0] = hn::Add(total[0], total[v]);
    max[r] = hn::GetLane(row_max);
    sum[r] = hn::GetLane(hn::SumOfLanes(d, total[0]));
  }
}

// q k of one head for up to kRowTile queries, scores [rows][padded(keys)].
HWY_INLINE void multiply_keys(const Heads& heads, std::size_t head, const float* q, std::size_t ldq, std::size_t rows,
                              const float* keys_transposed, std::size_t keys, float* scores) {
  rows_times_panels<Start::zero>(q + head * heads.dim, ldq, rows,
                                 {keys_transposed + head * heads.dim * kPanel, kPanel, heads.inner() * kPanel},
                                 panels(keys), heads.dim, nullptr, scores, padded(keys));
}

// Scores to exp(score - max); the padding, and what a query does not see (`visible` of each; null: all), become 0.
HWY_INLINE void exponentiate_keys(std::size_t rows, std::size_t keys, const std::size_t* visible, float* scores,
                                  float* max, float* sum) {
  const std::size_t stop = padded(keys);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = visible == nullptr ? keys : visible[r]; i < stop; ++i)
      scores[r * stop + i] = -std::numeric_limits<float>::infinity();
  }
  exponentiate(scores, stop, rows, max, sum);
}

// exp(score - max) of one head for up to kRowTile queries, scores [rows][padded(keys)]; the padding becomes 0.
HWY_INLINE void score_tile(const Heads& heads, std::size_t head, const float* q, std::size_t ldq, std::size_t rows,
                           const float* keys_transposed, std::size_t keys, const std::size_t* visible, float* scores,
                           float* max, float* sum) {
  multiply_keys(heads, head, q, ldq, rows, keys_transposed, keys, scores);
  exponentiate_keys(rows, keys, visible, scores, max, sum);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

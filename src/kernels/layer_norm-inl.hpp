// Layer normalisation, compiled once per target.
#if defined(CMANP_KERNELS_LAYER_NORM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_LAYER_NORM_INL
#undef CMANP_KERNELS_LAYER_NORM_INL
#else
#define CMANP_KERNELS_LAYER_NORM_INL
#endif

#include <hwy/highway.h>

#include "kernels/layer_norm.hpp"
#include "kernels/panel.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of kRows rows at once, so that their sums, roots and quotients do not wait for each other: scale is
// 1 / sqrt(variance + 1e-5). Two passes for the variance: exact also where the mean is large. Arrays of vectors and no
// structs of them, whose constructors GCC would compile for another target than NEON.
template <std::size_t kRows, class D, class V = hn::Vec<D>>
HWY_INLINE void row_statistics(D d, const float* x, std::size_t ldx, std::size_t width, V (&mean)[kRows],
                               V (&scale)[kRows]) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = width / lanes * lanes;
  const auto per_width = hn::Set(d, 1.0f / static_cast<float>(width));
  V sum[kRows], squares[kRows];
  for (std::size_t r = 0; r < kRows; ++r) sum[r] = squares[r] = hn::Zero(d);
  for (std::size_t i = 0; i < width; i += lanes) {
    for (std::size_t r = 0; r < kRows; ++r) sum[r] = hn::Add(sum[r], hn::LoadU(d, x + r * ldx + i));
  }
  for (std::size_t r = 0; r < kRows; ++r) mean[r] = hn::Mul(hn::SumOfLanes(d, sum[r]), per_width);
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const V deviation = hn::Sub(hn::LoadU(d, x + r * ldx + i), mean[r]);
      squares[r] = hn::MulAdd(deviation, deviation, squares[r]);
    }
  }
  for (std::size_t r = 0; r < kRows && whole < width; ++r) {
    const V deviation =
        hn::IfThenElseZero(hn::FirstN(d, width - whole), hn::Sub(hn::LoadU(d, x + r * ldx + whole), mean[r]));
    squares[r] = hn::MulAdd(deviation, deviation, squares[r]);
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    const V variance = hn::Mul(hn::SumOfLanes(d, squares[r]), per_width);
    scale[r] = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Add(variance, hn::Set(d, 1e-5f))));
  }
}

template <std::size_t kRows>
HWY_INLINE void normalise_some_rows(const Norm& norm, const float* x, std::size_t ldx, float* y, std::size_t ldy) {
  const hn::CappedTag<float, kPanel> d;
  hn::Vec<decltype(d)> mean[kRows], scale[kRows];
  row_statistics(d, x, ldx, norm.width, mean, scale);
  // Zeros in gamma and beta keep the padding at zero.
  for (std::size_t i = 0; i < padded(norm.width); i += hn::Lanes(d)) {
    const auto gamma = hn::LoadU(d, norm.gamma.data() + i), beta = hn::LoadU(d, norm.beta.data() + i);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto normal = hn::Mul(hn::Sub(hn::LoadU(d, x + r * ldx + i), mean[r]), scale[r]);
      hn::StoreU(hn::MulAdd(normal, gamma, beta), d, y + r * ldy + i);
    }
  }
}

HWY_INLINE void normalise_rows(const Norm& norm, const float* x, std::size_t ldx, std::size_t rows, float* y,
                               std::size_t ldy) {
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) normalise_some_rows<4>(norm, x + r * ldx, ldx, y + r * ldy, ldy);
  for (; r < rows; ++r) normalise_some_rows<1>(norm, x + r * ldx, ldx, y + r * ldy, ldy);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

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

template <class V>
struct RowStatistics {
  V mean;
  V scale;  // 1 / sqrt(variance + 1e-5)
};

// Two passes for the variance: exact also where the mean is large.
template <class D>
HWY_INLINE RowStatistics<hn::Vec<D>> row_statistics(D d, const float* x, std::size_t width) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = width / lanes * lanes;
  const auto per_width = hn::Set(d, 1.0f / static_cast<float>(width));
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < width; i += lanes) sum = hn::Add(sum, hn::LoadU(d, x + i));
  const auto mean = hn::Mul(hn::SumOfLanes(d, sum), per_width);
  auto squares = hn::Zero(d);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto deviation = hn::Sub(hn::LoadU(d, x + i), mean);
    squares = hn::MulAdd(deviation, deviation, squares);
  }
  if (whole < width) {
    const auto deviation = hn::IfThenElseZero(hn::FirstN(d, width - whole), hn::Sub(hn::LoadU(d, x + whole), mean));
    squares = hn::MulAdd(deviation, deviation, squares);
  }
  const auto variance = hn::Mul(hn::SumOfLanes(d, squares), per_width);
  return {mean, hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Add(variance, hn::Set(d, 1e-5f))))};
}

HWY_INLINE void normalise_rows(const Norm& norm, const float* x, std::size_t ldx, std::size_t rows, float* y,
                               std::size_t ldy) {
  const hn::CappedTag<float, kPanel> d;
  for (std::size_t r = 0; r < rows; ++r, x += ldx, y += ldy) {
    const auto [mean, scale] = row_statistics(d, x, norm.width);
    // Zeros in gamma and beta keep the padding at zero.
    for (std::size_t i = 0; i < padded(norm.width); i += hn::Lanes(d)) {
      const auto normal = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean), scale);
      hn::StoreU(hn::MulAdd(normal, hn::LoadU(d, norm.gamma.data() + i), hn::LoadU(d, norm.beta.data() + i)), d, y + i);
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

#include "kernels/backward/layer_norm_backward.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/layer_norm_backward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/layer_norm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// With z = (x - mean) / deviation and g = dy * gamma: dx = (g - mean(g) - z mean(g z)) / deviation. Of kRows rows at
// once, so that their sums do not wait for each other. Padding stays out of the sums since gamma is zero there.
template <std::size_t kRows>
HWY_INLINE void some_rows_backward(const Norm& norm, const float* x, const float* dy, std::size_t ld, float* dx,
                                   float* dgamma, float* dbeta) {
  const hn::CappedTag<float, kPanel> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t stop = padded(norm.width);
  const V per_width = hn::Set(d, 1.0f / static_cast<float>(norm.width));
  V mean[kRows], scale[kRows];
  row_statistics(d, x, ld, norm.width, mean, scale);
  V sum[kRows], sum_z[kRows];
  for (std::size_t r = 0; r < kRows; ++r) sum[r] = sum_z[r] = hn::Zero(d);
  for (std::size_t i = 0; i < stop; i += lanes) {
    const V gamma = hn::LoadU(d, norm.gamma.data() + i);
    V to_gamma = hn::LoadU(d, dgamma + i), to_beta = hn::LoadU(d, dbeta + i);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V up = hn::LoadU(d, dy + r * ld + i);
      const V z = hn::Mul(hn::Sub(hn::LoadU(d, x + r * ld + i), mean[r]), scale[r]);
      const V g = hn::Mul(up, gamma);
      sum[r] = hn::Add(sum[r], g);
      sum_z[r] = hn::MulAdd(g, z, sum_z[r]);
      to_gamma = hn::MulAdd(up, z, to_gamma);
      to_beta = hn::Add(up, to_beta);
    }
    hn::StoreU(to_gamma, d, dgamma + i);
    hn::StoreU(to_beta, d, dbeta + i);
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    sum[r] = hn::Mul(hn::SumOfLanes(d, sum[r]), per_width);
    sum_z[r] = hn::Mul(hn::SumOfLanes(d, sum_z[r]), per_width);
  }
  for (std::size_t r = 0; r < kRows; ++r, x += ld, dy += ld, dx += ld) {
    for (std::size_t i = 0; i < stop; i += lanes) {
      const V z = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean[r]), scale[r]);
      const V g = hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, norm.gamma.data() + i));
      const V rest = hn::NegMulAdd(z, sum_z[r], hn::Sub(g, sum[r]));
      hn::StoreU(hn::MulAdd(rest, scale[r], hn::LoadU(d, dx + i)), d, dx + i);
    }
  }
}

void layer_norm_backward_target(const Norm& norm, const float* x, const float* dy, std::size_t rows, std::size_t ld,
                                float* dx, float* dgamma, float* dbeta) {
  std::size_t at = 0;
  const std::size_t stop = rows * ld;
  for (; at + 4 * ld <= stop; at += 4 * ld) some_rows_backward<4>(norm, x + at, dy + at, ld, dx + at, dgamma, dbeta);
  for (; at < stop; at += ld) some_rows_backward<1>(norm, x + at, dy + at, ld, dx + at, dgamma, dbeta);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(layer_norm_backward_target);

NormGradient::NormGradient(std::size_t width) : gamma(padded(width)), beta(padded(width)) {}

void layer_norm_backward(const Norm& norm, const float* x, const float* dy, std::size_t rows, std::size_t ld, float* dx,
                         NormGradient& gradient) {
  HWY_DYNAMIC_DISPATCH(layer_norm_backward_target)
  (norm, x, dy, rows, ld, dx, gradient.gamma.data(), gradient.beta.data());
}

}  // namespace cmanp::kernels
#endif

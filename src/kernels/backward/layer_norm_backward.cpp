#include "kernels/backward/layer_norm_backward.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/layer_norm_backward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/layer_norm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// With z = (x - mean) / deviation and g = dy * gamma: dx = (g - mean(g) - z mean(g z)) / deviation.
// Padding stays out of the sums since gamma is zero there.
void layer_norm_backward_target(const Norm& norm, const float* x, const float* dy, std::size_t rows, std::size_t ld,
                                float* dx, float* dgamma, float* dbeta) {
  const hn::CappedTag<float, kPanel> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t stop = padded(norm.width);
  const auto per_width = hn::Set(d, 1.0f / static_cast<float>(norm.width));
  for (std::size_t r = 0; r < rows; ++r, x += ld, dy += ld, dx += ld) {
    const auto [mean, scale] = row_statistics(d, x, norm.width);
    auto sum = hn::Zero(d), sum_z = hn::Zero(d);
    for (std::size_t i = 0; i < stop; i += lanes) {
      const auto up = hn::LoadU(d, dy + i);
      const auto z = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean), scale);
      const auto g = hn::Mul(up, hn::LoadU(d, norm.gamma.data() + i));
      sum = hn::Add(sum, g);
      sum_z = hn::MulAdd(g, z, sum_z);
      hn::StoreU(hn::MulAdd(up, z, hn::LoadU(d, dgamma + i)), d, dgamma + i);
      hn::StoreU(hn::Add(up, hn::LoadU(d, dbeta + i)), d, dbeta + i);
    }
    const auto mean_g = hn::Mul(hn::SumOfLanes(d, sum), per_width);
    const auto mean_gz = hn::Mul(hn::SumOfLanes(d, sum_z), per_width);
    for (std::size_t i = 0; i < stop; i += lanes) {
      const auto z = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean), scale);
      const auto g = hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, norm.gamma.data() + i));
      const auto rest = hn::NegMulAdd(z, mean_gz, hn::Sub(g, mean_g));
      hn::StoreU(hn::MulAdd(rest, scale, hn::LoadU(d, dx + i)), d, dx + i);
    }
  }
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

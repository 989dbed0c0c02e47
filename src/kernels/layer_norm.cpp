#include "kernels/layer_norm.hpp"

#include <algorithm>

#include "kernels/panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layer_norm.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/layer_norm-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

void layer_norm_target(const Norm& norm, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy) {
  normalise_rows(norm, x, ldx, rows, y, ldy);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(layer_norm_target);

Norm Norm::pack(const float* gamma, const float* beta, std::size_t width) {
  Norm norm{Buffer<float>(padded(width)), Buffer<float>(padded(width)), width};
  std::copy_n(gamma, width, norm.gamma.data());
  std::copy_n(beta, width, norm.beta.data());
  return norm;
}

Norm Norm::plain(std::size_t width) {
  Norm norm{Buffer<float>(padded(width)), Buffer<float>(padded(width)), width};
  std::fill_n(norm.gamma.data(), width, 1.0f);
  return norm;
}

void layer_norm(const Norm& norm, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy) {
  HWY_DYNAMIC_DISPATCH(layer_norm_target)(norm, x, ldx, rows, y, ldy);
}

}  // namespace cmanp::kernels
#endif

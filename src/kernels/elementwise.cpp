#include "kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// y = function(x), whole vectors first and then one by one.
template <class Function>
HWY_INLINE void map(const float* x, std::size_t count, float* y, const Function& function) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) hn::StoreU(function(d, hn::LoadU(d, x + i)), d, y + i);
  for (; i < count; ++i) hn::StoreU(function(one, hn::LoadU(one, x + i)), one, y + i);
}

void exp_target(const float* x, std::size_t count, float* y) {
  map(x, count, y, [](auto d, auto v) HWY_ATTR { return exp(d, v); });
}

void gelu_target(const float* x, std::size_t count, float* y) {
  map(x, count, y, [](auto d, auto v) HWY_ATTR { return gelu(d, v); });
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(exp_target);
HWY_EXPORT(gelu_target);

void exp(const float* x, std::size_t count, float* y) { HWY_DYNAMIC_DISPATCH(exp_target)(x, count, y); }
void gelu(const float* x, std::size_t count, float* y) { HWY_DYNAMIC_DISPATCH(gelu_target)(x, count, y); }

}  // namespace cmanp::kernels
#endif

#include "kernels/backward/adam.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/adam.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void adam_target(const AdamStep& step, std::size_t count, const float* gradients, const float* share, float* values,
                 float* first_moment, float* second_moment) {
  const auto move = [&](auto d, std::size_t i) HWY_ATTR {
    const auto number = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const auto g = hn::LoadU(d, gradients + i);
    const auto first = hn::MulAdd(number(step.rest1), g, hn::Mul(number(step.beta1), hn::LoadU(d, first_moment + i)));
    const auto second =
        hn::MulAdd(number(step.rest2), hn::Mul(g, g), hn::Mul(number(step.beta2), hn::LoadU(d, second_moment + i)));
    hn::StoreU(first, d, first_moment + i);
    hn::StoreU(second, d, second_moment + i);
    const auto divisor = hn::MulAdd(hn::Sqrt(second), number(step.scale), number(step.epsilon));
    auto by = hn::Div(hn::Mul(number(step.rate), first), divisor);
    if (share != nullptr) by = hn::Mul(by, hn::LoadU(d, share + i));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + i), by), d, values + i);
  };
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) move(d, i);
  for (; i < count; ++i) move(one, i);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(adam_target);

void adam(const AdamStep& step, std::size_t count, const float* gradients, const float* share, float* values,
          float* first_moment, float* second_moment) {
  HWY_DYNAMIC_DISPATCH(adam_target)(step, count, gradients, share, values, first_moment, second_moment);
}

}  // namespace cmanp::kernels
#endif

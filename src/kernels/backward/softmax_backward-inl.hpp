// The gradient of a row of softmax, compiled once per target.
#if defined(CMANP_KERNELS_SOFTMAX_BACKWARD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_SOFTMAX_BACKWARD_INL
#undef CMANP_KERNELS_SOFTMAX_BACKWARD_INL
#else
#define CMANP_KERNELS_SOFTMAX_BACKWARD_INL
#endif

#include "kernels/backward/attention_backward.hpp"
#include "kernels/matmul-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// From probabilities before their `factor` and the gradient of probabilities to probabilities p and the gradient of
// scores, p * (dp - mean), where the mean of dp is that over these keys unless given.
HWY_INLINE void softmax_backward(float* probabilities, float* gradient, std::size_t stop, float factor,
                                 const float* given_mean) {
  const Floats d;
  const FloatVec scale = hn::Set(d, factor);
  FloatVec total = hn::Zero(d);
  for (std::size_t i = 0; i < stop; i += kLanes) {
    const FloatVec p = hn::Mul(hn::LoadU(d, probabilities + i), scale);
    hn::StoreU(p, d, probabilities + i);
    total = hn::MulAdd(p, hn::LoadU(d, gradient + i), total);
  }
  const FloatVec mean = given_mean == nullptr ? hn::SumOfLanes(d, total) : hn::Set(d, *given_mean);
  for (std::size_t i = 0; i < stop; i += kLanes) {
    const FloatVec dp = hn::Sub(hn::LoadU(d, gradient + i), mean);
    hn::StoreU(hn::Mul(hn::LoadU(d, probabilities + i), dp), d, gradient + i);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

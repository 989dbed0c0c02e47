// What relative attention and its gradient share, compiled once per target.
#if defined(CMANP_KERNELS_RELATIVE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_RELATIVE_INL
#undef CMANP_KERNELS_RELATIVE_INL
#else
#define CMANP_KERNELS_RELATIVE_INL
#endif

#include "kernels/relative_attention.hpp"
#include "kernels/softmax-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// |p - p'|² of one place and a vector of them, whose axes start every `ld`, from the difference itself: squares of far
// places would cancel.
HWY_INLINE FloatVec squared_distance(const float* place, const float* places, std::size_t axes, std::size_t ld) {
  const Floats d;
  const FloatVec first = hn::Sub(hn::Set(d, place[0]), hn::LoadU(d, places));
  FloatVec sum = hn::Mul(first, first);
  for (std::size_t a = 1; a < axes; ++a) {
    const FloatVec apart = hn::Sub(hn::Set(d, place[a]), hn::LoadU(d, places + a * ld));
    sum = hn::MulAdd(apart, apart, sum);
  }
  return sum;
}

// A vector of pairs, turned.
template <Way kWay, class D>
HWY_INLINE void turn_pairs(D d, float* one, float* other, const float* cos, const float* sin) {
  const auto a = hn::LoadU(d, one), b = hn::LoadU(d, other), c = hn::LoadU(d, cos), s = hn::LoadU(d, sin);
  if constexpr (kWay == Way::there) {
    hn::StoreU(hn::NegMulAdd(b, s, hn::Mul(a, c)), d, one);
    hn::StoreU(hn::MulAdd(a, s, hn::Mul(b, c)), d, other);
  } else {
    hn::StoreU(hn::MulAdd(b, s, hn::Mul(a, c)), d, one);
    hn::StoreU(hn::NegMulAdd(a, s, hn::Mul(b, c)), d, other);
  }
}

// A head's pairs of one row, turned by angles of these cosines and sines, or back by them.
template <Way kWay>
HWY_INLINE void turn_head(float* features, std::size_t half, const float* cos, const float* sin) {
  const hn::CappedTag<float, kPanel / 2> d;
  const hn::CappedTag<float, 1> one;
  if (half == hn::Lanes(d)) return turn_pairs<kWay>(d, features, features + half, cos, sin);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= half; i += hn::Lanes(d)) {
    turn_pairs<kWay>(d, features + i, features + half + i, cos + i, sin + i);
  }
  for (; i < half; ++i) turn_pairs<kWay>(one, features + i, features + half + i, cos + i, sin + i);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

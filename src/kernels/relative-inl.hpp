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

// |p - p'|² of one query and a vector of keys, from the difference itself: squares of far places would cancel.
HWY_INLINE FloatVec squared_distance(const float* place, const float* key_places, std::size_t axes, std::size_t ldp) {
  const Floats d;
  FloatVec sum = hn::Zero(d);
  for (std::size_t a = 0; a < axes; ++a) {
    const FloatVec apart = hn::Sub(hn::Set(d, place[a]), hn::LoadU(d, key_places + a * ldp));
    sum = hn::MulAdd(apart, apart, sum);
  }
  return sum;
}

// As score_tile, of queries from row `first` on; an axis of the keys' places starts every `ldp`.
HWY_INLINE void relative_score_tile(const RelativeHeads& relative, std::size_t head, const RelativeQueries& queries,
                                    std::size_t first, std::size_t rows, const float* keys_transposed,
                                    const float* key_places, std::size_t ldp, std::size_t keys, float* scores,
                                    float* max, float* sum) {
  const Floats d;
  const std::size_t stop = padded(keys), axes = relative.axes;
  multiply_keys(relative.heads, head, queries.q + first * queries.ld, queries.ld, rows, keys_transposed, keys, scores);
  const FloatVec gamma = hn::Set(d, relative.gamma[head]);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* place = queries.places + (first + r) * axes;
    float* row = scores + r * stop;
    for (std::size_t i = 0; i < stop; i += kLanes) {
      const FloatVec distance = squared_distance(place, key_places + i, axes, ldp);
      hn::StoreU(hn::NegMulAdd(gamma, distance, hn::LoadU(d, row + i)), d, row + i);
    }
  }
  exponentiate_keys(rows, keys, scores, max, sum);
}

// A head's pairs of one row, turned by angles of these cosines and sines, or back by them.
template <Way kWay>
HWY_INLINE void turn_head(float* features, std::size_t half, const float* cos, const float* sin) {
  const hn::CappedTag<float, kPanel / 2> d;
  float* other = features + half;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= half; i += hn::Lanes(d)) {
    const auto a = hn::LoadU(d, features + i), b = hn::LoadU(d, other + i);
    const auto c = hn::LoadU(d, cos + i);
    const auto s = kWay == Way::there ? hn::LoadU(d, sin + i) : hn::Neg(hn::LoadU(d, sin + i));
    hn::StoreU(hn::NegMulAdd(b, s, hn::Mul(a, c)), d, features + i);
    hn::StoreU(hn::MulAdd(a, s, hn::Mul(b, c)), d, other + i);
  }
  for (; i < half; ++i) {
    const float a = features[i], b = other[i], s = kWay == Way::there ? sin[i] : -sin[i];
    features[i] = a * cos[i] - b * s;
    other[i] = a * s + b * cos[i];
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

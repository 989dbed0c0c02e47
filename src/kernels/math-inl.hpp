// Vector functions of float accuracy, compiled once per target.
// Polynomials are minimax fits (weighted least squares, iterated), their errors given beside them.
#if defined(CMANP_KERNELS_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_MATH_INL
#undef CMANP_KERNELS_MATH_INL
#else
#define CMANP_KERNELS_MATH_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// e^x for x up to about 88 without the check for overflow: within 2 ulp, and 0 where the result is below the smallest
// normal number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_no_overflow(D d, V x) {
  const hn::RebindToSigned<D> di;
  // Adding 1.5 * 2^23 rounds x / ln 2 to an integer n and leaves it in the low bits of the sum.
  const V shifter = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), shifter);
  const V n = hn::Sub(shifted, shifter);
  // r = x - n ln 2, with ln 2 in two parts so that the first product is exact.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  // e^r on |r| <= ln 2 / 2, relative error 3e-9.
  V p = hn::MulAdd(hn::Set(d, 0.001381432036f), r, hn::Set(d, 0.008368851085f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.041668401088f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166665195239f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.499999933731f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  // Times 2^n by adding n to the exponent.
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const V result = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, -87.3365402f)), result);
}

// e^x of a score less the largest one, x <= 0, in fewer steps: powers of two, whose remainders come without a product.
// Relative error below 1e-7 + 6e-8 |x|, as scores themselves are rounded; 1 at 0, and 0 below -60: no sum in which
// there is a 1 notices e^-60, but a product of less with a value may be denormal, for which processors take a hundred
// cycles.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of_score(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V shifter = hn::Set(d, 12582912.0f);
  const V doublings = hn::Mul(x, hn::Set(d, 1.44269504f));
  const V shifted = hn::Add(doublings, shifter);
  const V r = hn::Sub(doublings, hn::Sub(shifted, shifter));
  // 2^r on |r| <= 1/2, relative error 9e-8.
  V p = hn::MulAdd(hn::Set(d, 0.00132647449963f), r, hn::Set(d, 0.00967151920453f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0555073376133f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.240222419861f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.69314697755f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const V result = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, -60.0f)), result);
}

// e^x over the whole range: infinity above, 0 below, within 2 ulp between.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const V infinity = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7F800000u));
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.7228317f)), infinity, exp_no_overflow(d, x));
}

// The normal distribution function: Phi(x) - 1/2 = x P(x^2) / Q(x^2) on |x| <= 5.5, relative error 1.7e-8; beyond,
// what it is at the end, which is 0 or 1 in float but for an ulp of 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_cdf(D d, V x) {
  const V limit = hn::Set(d, 5.5f);
  const V t = hn::Clamp(x, hn::Neg(limit), limit);
  const V z = hn::Mul(t, t);
  V p = hn::MulAdd(hn::Set(d, 2.29309004e-08f), z, hn::Set(d, 6.301422032e-06f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.00016456623095f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.00465143526036f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.03345827945498f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.39894227381444f));
  V q = hn::MulAdd(hn::Set(d, 1.19900840546e-06f), z, hn::Set(d, 7.21640060821e-05f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.00186060411675f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.02841575521972f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.25053387143866f));
  q = hn::MulAdd(q, z, hn::Set(d, 1.0f));
  return hn::Add(hn::Div(hn::Mul(t, p), q), hn::Set(d, 0.5f));
}

// x Phi(x); below -5.5, where it is above -1.1e-7, it is taken for 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  return hn::IfThenElseZero(hn::Gt(x, hn::Set(d, -5.5f)), hn::Mul(x, normal_cdf(d, x)));
}

template <class V>
struct ValueAndSlope {
  V value;
  V slope;
};

// GELU and its derivative, Phi(x) + x phi(x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE ValueAndSlope<V> gelu_with_slope(D d, V x) {
  const V cdf = hn::IfThenElseZero(hn::Gt(x, hn::Set(d, -5.5f)), normal_cdf(d, x));
  const V density = exp_no_overflow(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
  return {hn::Mul(x, cdf), hn::MulAdd(hn::Mul(x, hn::Set(d, 0.39894228f)), density, cdf)};
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

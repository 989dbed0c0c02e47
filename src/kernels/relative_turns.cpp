// Angles of places, and features turned by them.
#include "kernels/relative_attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/relative_turns.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/relative-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// A product's angle in (-pi, pi] or so: less whole turns, each product exact to the last bit where there is an FMA.
HWY_INLINE FloatVec reduced_product(FloatVec omega, FloatVec place) {
  const Floats d;
  const FloatVec angle = hn::Mul(omega, place);
  const FloatVec lost = hn::MulSub(omega, place, angle);
  const FloatVec whole = hn::Round(hn::Mul(angle, hn::Set(d, 0.159154943f)));
  // 2 pi in three parts, the first two of few bits.
  FloatVec r = hn::NegMulAdd(whole, hn::Set(d, 6.28125f), angle);
  r = hn::NegMulAdd(whole, hn::Set(d, 0.00193500518798828125f), r);
  r = hn::NegMulAdd(whole, hn::Set(d, 3.01991598196e-7f), r);
  return hn::Add(r, lost);
}

// Sine and cosine of so many quarter turns and a rest |r| <= pi / 4, by polynomials with errors below 1e-7.
HWY_INLINE void sine_and_cosine(FloatVec quarters, FloatVec r, FloatVec& sine, FloatVec& cosine) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const auto quarter = hn::NearestInt(quarters);
  const FloatVec z = hn::Mul(r, r);
  FloatVec s = hn::MulAdd(hn::Set(d, -1.9515295891e-4f), z, hn::Set(d, 8.3321608736e-3f));
  s = hn::MulAdd(s, z, hn::Set(d, -1.6666654611e-1f));
  s = hn::MulAdd(hn::Mul(s, z), r, r);
  FloatVec c = hn::MulAdd(hn::Set(d, 2.443315711809948e-5f), z, hn::Set(d, -1.388731625493765e-3f));
  c = hn::MulAdd(c, z, hn::Set(d, 4.166664568298827e-2f));
  c = hn::MulAdd(hn::Mul(c, z), z, hn::NegMulAdd(hn::Set(d, 0.5f), z, hn::Set(d, 1.0f)));
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quarter, one), one));
  // Bit 1 of the quarter is the sine's sign, that of the next one the cosine's.
  const auto sign = [&](auto of) { return hn::BitCast(d, hn::ShiftLeft<30>(hn::And(of, two))); };
  sine = hn::Xor(hn::IfThenElse(odd, c, s), sign(quarter));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), sign(hn::Add(quarter, one)));
}

// Of one product: its quarter turns at once.
HWY_INLINE void turns_of_product(FloatVec omega, FloatVec place, FloatVec& sine, FloatVec& cosine) {
  const Floats d;
  const FloatVec angle = hn::Mul(omega, place);
  const FloatVec lost = hn::MulSub(omega, place, angle);
  const FloatVec quarters = hn::Round(hn::Mul(angle, hn::Set(d, 0.636619772f)));
  // pi / 2 in three parts, as above; an angle without a digit behind its point leaves no rest to speak of.
  FloatVec r = hn::NegMulAdd(quarters, hn::Set(d, 1.5703125f), angle);
  r = hn::NegMulAdd(quarters, hn::Set(d, 0.0004837512969970703125f), r);
  r = hn::NegMulAdd(quarters, hn::Set(d, 7.5497899549e-8f), r);
  r = hn::Clamp(hn::Add(r, lost), hn::Set(d, -0.79f), hn::Set(d, 0.79f));
  sine_and_cosine(quarters, r, sine, cosine);
}

// Of a sum of products, each less its whole turns.
HWY_INLINE void turns_of_sum(const RelativeHeads& relative, std::size_t at, const float* place, FloatVec& sine,
                             FloatVec& cosine) {
  const Floats d;
  FloatVec angle = hn::Zero(d);
  for (std::size_t a = 0; a < relative.axes; ++a) {
    const FloatVec omega = hn::LoadU(d, relative.omega.data() + a * relative.turns() + at);
    angle = hn::Add(angle, reduced_product(omega, hn::Set(d, place[a])));
  }
  const FloatVec quarters = hn::Round(hn::Mul(angle, hn::Set(d, 0.636619772f)));
  FloatVec r = hn::NegMulAdd(quarters, hn::Set(d, 1.5703125f), angle);
  r = hn::NegMulAdd(quarters, hn::Set(d, 4.83826794897e-4f), r);
  sine_and_cosine(quarters, r, sine, cosine);
}

void make_turns_target(const RelativeHeads& relative, const float* places, std::size_t rows, float* cos, float* sin) {
  const Floats d;
  const std::size_t width = relative.turns(), axes = relative.axes;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < width; i += kLanes) {
      FloatVec s, c;
      if (axes == 1) {
        turns_of_product(hn::LoadU(d, relative.omega.data() + i), hn::Set(d, places[r]), s, c);
      } else {
        turns_of_sum(relative, i, places + r * axes, s, c);
      }
      hn::StoreU(c, d, cos + r * width + i);
      hn::StoreU(s, d, sin + r * width + i);
    }
  }
}

// A grid's row is so many steps behind a row whose number is a multiple of kAnchor: one turn behind another.
void make_grid_turns_target(const RelativeHeads& relative, const float* grid, std::size_t first, std::size_t last,
                            float* cos, float* sin) {
  const Floats d;
  constexpr std::size_t kAnchor = 8;
  const std::size_t width = relative.turns();
  for (std::size_t i = 0; i < width; i += kLanes) {
    const FloatVec omega = hn::LoadU(d, relative.omega.data() + i);
    HWY_ALIGN float step_sine[kAnchor * kLanes], step_cosine[kAnchor * kLanes];
    const auto turns_at = [&](std::size_t row, FloatVec& sine, FloatVec& cosine)
                              HWY_ATTR { turns_of_product(omega, hn::Set(d, grid[row]), sine, cosine); };
    FloatVec s, c;
    for (std::size_t step = 0; step < HWY_MIN(kAnchor, last); ++step) {
      turns_at(step, s, c);
      hn::Store(s, d, step_sine + step * kLanes);
      hn::Store(c, d, step_cosine + step * kLanes);
    }
    for (std::size_t r = first; r < last; ++r) {
      const std::size_t step = r % kAnchor;
      if (step == 0 || r == first) turns_at(r - step, s, c);
      const std::size_t at = (r - first) * width + i;
      hn::StoreU(c, d, cos + at);
      hn::StoreU(s, d, sin + at);
      turn_pairs<Way::there>(d, cos + at, sin + at, step_cosine + step * kLanes, step_sine + step * kLanes);
    }
  }
}

template <Way kWay>
HWY_INLINE void turn_rows(const RelativeHeads& relative, const Turns& turns, std::size_t rows, float* x, std::size_t ld,
                          std::size_t stride) {
  const std::size_t width = relative.turns(), half = relative.half;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < relative.heads.count; ++h) {
      const std::size_t at = r * width + h * half;
      turn_head<kWay>(x + r * ld + h * stride, half, turns.cos + at, turns.sin + at);
    }
  }
}

void turn_target(const RelativeHeads& relative, const Turns& turns, std::size_t rows, Way way, float* x, std::size_t ld,
                 std::size_t stride) {
  if (way == Way::there) return turn_rows<Way::there>(relative, turns, rows, x, ld, stride);
  turn_rows<Way::back>(relative, turns, rows, x, ld, stride);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(make_turns_target);
HWY_EXPORT(make_grid_turns_target);
HWY_EXPORT(turn_target);

void make_turns(const RelativeHeads& relative, const float* places, std::size_t rows, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(make_turns_target)(relative, places, rows, cos, sin);
}

void make_grid_turns(const RelativeHeads& relative, const float* grid, std::size_t first, std::size_t last, float* cos,
                     float* sin) {
  if (relative.axes > 1) return make_turns(relative, grid + first * relative.axes, last - first, cos, sin);
  HWY_DYNAMIC_DISPATCH(make_grid_turns_target)(relative, grid, first, last, cos, sin);
}

void turn(const RelativeHeads& relative, const Turns& turns, std::size_t rows, Way way, float* x, std::size_t ld,
          std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(turn_target)(relative, turns, rows, way, x, ld, stride);
}

}  // namespace cmanp::kernels
#endif

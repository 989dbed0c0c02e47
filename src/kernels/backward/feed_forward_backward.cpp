#include "kernels/backward/feed_forward_backward.hpp"

#include <algorithm>
#include <vector>

#include "kernels/backward/products.hpp"
#include "kernels/cursor.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/feed_forward_backward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/math-inl.hpp"
#include "kernels/panel.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// With [a, g] in each row of `projected` and the gradient of a * gelu(g) in `up`: gated = a * gelu(g), and the gradient
// of [a, g], [up * gelu(g), up * a * gelu'(g)], which may take its place.
void gate_backward_target(const float* projected, const float* up, float* gated, float* gradient, std::size_t rows,
                          std::size_t width) {
  const hn::CappedTag<float, kPanel> d;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = projected + r * 2 * width;
    float* values = gradient + r * 2 * width;
    float* gates = values + width;
    for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
      const auto a = hn::LoadU(d, row + i);
      const auto g = hn::LoadU(d, row + width + i);
      const auto u = hn::LoadU(d, up + r * width + i);
      const auto [value, slope] = gelu_with_slope(d, g);
      hn::StoreU(hn::Mul(a, value), d, gated + r * width + i);
      hn::StoreU(hn::Mul(u, value), d, values + i);
      hn::StoreU(hn::Mul(hn::Mul(u, a), slope), d, gates + i);
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(gate_backward_target);

namespace {

// Rows: enough that the sums of weights' gradients, which every tile goes through, cost little beside the products, and
// few enough that all of a tile stays in the second-level cache.
constexpr std::size_t kTile = 128;

struct Space {
  float* normal;  // [kTile][padded(width)]
  float* up;      // gradient of the normalised input
  float* both;    // [kTile][2 padded(hidden)]
  float* gated;   // [kTile][padded(hidden)]
  float* hidden;  // gradient of `gated`

  Space(std::size_t ldx, std::size_t half, Cursor& cursor)
      : normal(cursor.take(kTile * ldx)),
        up(cursor.take(kTile * ldx)),
        both(cursor.take(kTile * 2 * half)),
        gated(cursor.take(kTile * half)),
        hidden(cursor.take(kTile * half)) {}
};

}  // namespace

FeedForwardTransposed FeedForwardTransposed::pack(const float* in_weights, const float* out_weights, std::size_t width,
                                                  std::size_t hidden) {
  const std::size_t half = padded(hidden);
  std::vector<float> in(2 * half * width, 0.0f);
  for (std::size_t part = 0; part < 2; ++part) {
    std::copy_n(in_weights + part * hidden * width, hidden * width, in.data() + part * half * width);
  }
  return {Linear::pack_transposed(in.data(), 2 * half, width), Linear::pack_transposed(out_weights, width, hidden)};
}

FeedForwardGradient::FeedForwardGradient(std::size_t width, std::size_t hidden)
    : norm(width),
      in(2 * padded(hidden) * padded(width)),
      in_bias(2 * padded(hidden)),
      out(width * padded(hidden)),
      out_bias(padded(width)) {}

std::size_t feed_forward_backward_scratch(const FeedForward& layer) {
  Cursor cursor;
  Space(padded(layer.norm.width), padded(layer.hidden), cursor);
  return cursor.used();
}

void feed_forward_backward(const FeedForward& layer, const FeedForwardTransposed& transposed, Residual residual,
                           const float* x, const float* dy, std::size_t rows, float* dx, FeedForwardGradient& gradient,
                           float* scratch, const float* projected) {
  const std::size_t width = layer.norm.width, ldx = padded(width), half = padded(layer.hidden);
  Cursor cursor(scratch);
  const Space space(ldx, half, cursor);
  for (std::size_t r = 0; r < rows; r += kTile, x += kTile * ldx, dy += kTile * ldx, dx += kTile * ldx) {
    const std::size_t tile = std::min(kTile, rows - r);
    layer_norm(layer.norm, x, ldx, tile, space.normal, ldx);
    if (projected == nullptr) linear(layer.in, space.normal, ldx, tile, space.both, 2 * half);
    linear(transposed.out, dy, ldx, tile, space.hidden, half);
    HWY_DYNAMIC_DISPATCH(gate_backward_target)
    (projected == nullptr ? space.both : projected + r * 2 * half, space.hidden, space.gated, space.both, tile, half);
    add_transposed_product(dy, ldx, width, space.gated, half, half, tile, gradient.out.data(), half);
    add_column_sums(dy, ldx, ldx, tile, gradient.out_bias.data());
    add_transposed_product(space.both, 2 * half, 2 * half, space.normal, ldx, ldx, tile, gradient.in.data(), ldx);
    add_column_sums(space.both, 2 * half, 2 * half, tile, gradient.in_bias.data());
    // The residual: through the norm, or beside it.
    std::copy_n(dy, tile * ldx, residual == Residual::normalised ? space.up : dx);
    if (residual == Residual::normalised) {
      std::fill_n(dx, tile * ldx, 0.0f);
      linear(transposed.in, space.both, 2 * half, tile, space.up, ldx, Into::add);
    } else {
      linear(transposed.in, space.both, 2 * half, tile, space.up, ldx);
    }
    layer_norm_backward(layer.norm, x, space.up, tile, ldx, dx, gradient.norm);
  }
}

}  // namespace cmanp::kernels
#endif

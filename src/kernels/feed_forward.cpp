#include "kernels/feed_forward.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/feed_forward.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/math-inl.hpp"
#include "kernels/panel.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// a[r][i] *= gelu(g[r][i]), over rows of `stride` with a in front and g from `width` on.
void gate_target(float* rows_of_both, std::size_t rows, std::size_t width, std::size_t stride) {
  const hn::CappedTag<float, kPanel> d;
  for (std::size_t r = 0; r < rows; ++r) {
    float* a = rows_of_both + r * stride;
    const float* g = a + width;
    for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
      hn::StoreU(hn::Mul(hn::LoadU(d, a + i), gelu(d, hn::LoadU(d, g + i))), d, a + i);
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(gate_target);

namespace {
constexpr std::size_t kTile = 48;  // rows: their hidden values stay in the second-level cache
}

FeedForward FeedForward::pack(Norm norm, const float* in_weights, const float* in_bias, const float* out_weights,
                              const float* out_bias, std::size_t width, std::size_t hidden) {
  // Values and gates each start on a panel.
  const std::size_t half = padded(hidden);
  std::vector<float> weights(2 * half * width, 0.0f);
  std::vector<float> bias(2 * half, 0.0f);
  for (std::size_t part = 0; part < 2; ++part) {
    std::copy_n(in_weights + part * hidden * width, hidden * width, weights.data() + part * half * width);
    std::copy_n(in_bias + part * hidden, hidden, bias.data() + part * half);
  }
  return {std::move(norm), hidden, Linear::pack(weights.data(), bias.data(), 2 * half, width),
          Linear::pack(out_weights, out_bias, width, hidden)};
}

std::size_t FeedForward::scratch(std::size_t width, std::size_t hidden) {
  return kTile * (padded(width) + 2 * padded(hidden));
}

std::size_t FeedForward::scratch() const { return scratch(norm.width, hidden); }

void feed_forward(const FeedForward& layer, Residual residual, float* x, std::size_t rows, float* scratch) {
  const std::size_t ldx = padded(layer.norm.width);
  const std::size_t half = padded(layer.hidden);
  float* both = scratch + kTile * ldx;
  for (std::size_t r = 0; r < rows; r += kTile) {
    const std::size_t tile = std::min(kTile, rows - r);
    float* to = x + r * ldx;
    // The normalised input is also what the published residual adds, so it may take x's place at once.
    float* normal = residual == Residual::normalised ? to : scratch;
    layer_norm(layer.norm, to, ldx, tile, normal, ldx);
    linear(layer.in, normal, ldx, tile, both, 2 * half);
    HWY_DYNAMIC_DISPATCH(gate_target)(both, tile, half, 2 * half);
    linear(layer.out, both, 2 * half, tile, to, ldx, Into::add);
  }
}

}  // namespace cmanp::kernels
#endif

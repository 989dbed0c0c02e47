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
#include "kernels/matmul-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// Some panels of a product's columns, from `column` on.
HWY_NOINLINE void project_panels(const Linear& layer, std::size_t column, std::size_t count, const float* x,
                                 std::size_t ldx, std::size_t rows, float* y, std::size_t ldy) {
  rows_times_packed<Start::column_bias>(x, ldx, rows, layer.panels.data() + column * layer.in, count, layer.in,
                                        layer.bias.data() + column, y, ldy);
}

// hidden [rows][padded(hidden)] = a gelu(g), a panel or two at a time: gates [rows][32] are no more than that, and half
// the memory that both would need is not gone through. One row is dealt with at once, gates [padded(hidden)].
void hidden_target(const FeedForward& layer, const float* normal, std::size_t rows, float* hidden, float* gates) {
  const Floats d;
  const std::size_t ldx = padded(layer.norm.width), half = padded(layer.hidden);
  for (std::size_t column = 0, step; column < half; column += step) {
    step = rows == 1 ? half : HWY_MIN(kAbreast * kPanel, half - column);
    project_panels(layer.in, column, step / kPanel, normal, ldx, rows, hidden + column, half);
    project_panels(layer.in, half + column, step / kPanel, normal, ldx, rows, gates, step);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < step; i += kLanes) {
        float* a = hidden + r * half + column + i;
        hn::StoreU(hn::Mul(hn::LoadU(d, a), gelu(d, hn::LoadU(d, gates + r * step + i))), d, a);
      }
    }
  }
}

// The same with a and g left in projected [rows][2 padded(hidden)].
void hidden_and_projected_target(const FeedForward& layer, const float* normal, std::size_t rows, float* hidden,
                                 float* projected) {
  const Floats d;
  const std::size_t ldx = padded(layer.norm.width), half = padded(layer.hidden);
  for (std::size_t column = 0, step; column < half; column += step) {
    step = HWY_MIN(kAbreast * kPanel, half - column);
    float* values = projected + column;
    float* gates = values + half;
    project_panels(layer.in, column, step / kPanel, normal, ldx, rows, values, 2 * half);
    project_panels(layer.in, half + column, step / kPanel, normal, ldx, rows, gates, 2 * half);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = r * 2 * half; i < r * 2 * half + step; i += kLanes) {
        const FloatVec gated = hn::Mul(hn::LoadU(d, values + i), gelu(d, hn::LoadU(d, gates + i)));
        hn::StoreU(gated, d, hidden + column + i - r * half);
      }
    }
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(hidden_target);
HWY_EXPORT(hidden_and_projected_target);

namespace {
constexpr std::size_t kTile = 48;           // rows: their hidden values stay in the second-level cache
constexpr std::size_t kGates = 2 * kPanel;  // of each: as many as any target deals with at once
}  // namespace

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
  return kTile * (padded(width) + padded(hidden)) + std::max(kTile * kGates, padded(hidden));
}

std::size_t FeedForward::scratch() const { return scratch(norm.width, hidden); }

void feed_forward(const FeedForward& layer, Residual residual, float* x, std::size_t rows, float* scratch,
                  float* projected) {
  const std::size_t ldx = padded(layer.norm.width);
  const std::size_t half = padded(layer.hidden);
  float* hidden = scratch + kTile * ldx;
  float* gates = hidden + kTile * half;
  for (std::size_t r = 0; r < rows; r += kTile) {
    const std::size_t tile = std::min(kTile, rows - r);
    float* to = x + r * ldx;
    // The normalised input is also what the published residual adds, so it may take x's place at once.
    float* normal = residual == Residual::normalised ? to : scratch;
    layer_norm(layer.norm, to, ldx, tile, normal, ldx);
    if (projected == nullptr) {
      HWY_DYNAMIC_DISPATCH(hidden_target)(layer, normal, tile, hidden, gates);
    } else {
      HWY_DYNAMIC_DISPATCH(hidden_and_projected_target)(layer, normal, tile, hidden, projected + r * 2 * half);
    }
    linear(layer.out, hidden, half, tile, to, ldx, Into::add);
  }
}

}  // namespace cmanp::kernels
#endif

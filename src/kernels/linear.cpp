#include "kernels/linear.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/matmul-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// Rows whose activations stay in the first-level cache while all panels pass by.
constexpr std::size_t kRowBlock = 48;

template <Start kStart, Finish kFinish>
HWY_INLINE void linear_rows(const Linear& layer, const float* x, std::size_t ldx, std::size_t rows, float* y,
                            std::size_t ldy) {
  for (std::size_t r = 0; r < rows; r += kRowBlock) {
    const std::size_t block = HWY_MIN(kRowBlock, rows - r);
    for (std::size_t p = 0; p < panels(layer.out); ++p) {
      rows_times_panel<kStart, kFinish>(x + r * ldx, ldx, block, layer.panels.data() + p * layer.in * kPanel, kPanel,
                                        layer.in, layer.bias.data() + p * kPanel, y + r * ldy + p * kPanel, ldy);
    }
  }
}

void linear_target(const Linear& layer, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy,
                   Into into) {
  switch (into) {
    case Into::set:
      return linear_rows<Start::column_bias, Finish::none>(layer, x, ldx, rows, y, ldy);
    case Into::set_relu:
      return linear_rows<Start::column_bias, Finish::relu>(layer, x, ldx, rows, y, ldy);
    case Into::add:
      return linear_rows<Start::add_column_bias, Finish::none>(layer, x, ldx, rows, y, ldy);
  }
}

void linear_transposed_target(const float* weights, const float* bias, std::size_t out, std::size_t in, const float* x,
                              std::size_t rows, float* y) {
  for (std::size_t p = 0; p < panels(rows); ++p) {
    rows_times_panel<Start::row_bias>(weights, in, out, x + p * in * kPanel, kPanel, in, bias, y + p * out * kPanel,
                                      kPanel);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(linear_target);
HWY_EXPORT(linear_transposed_target);

Linear Linear::pack(const float* weights, const float* bias, std::size_t out, std::size_t in) {
  Linear layer{in, out, Buffer<float>(padded(out) * in), Buffer<float>(padded(out))};
  for (std::size_t o = 0; o < out; ++o) {
    float* column = layer.panels.data() + (o / kPanel) * in * kPanel + o % kPanel;
    for (std::size_t i = 0; i < in; ++i) column[i * kPanel] = weights[o * in + i];
    if (bias != nullptr) layer.bias[o] = bias[o];
  }
  return layer;
}

void linear(const Linear& layer, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy,
            Into into) {
  HWY_DYNAMIC_DISPATCH(linear_target)(layer, x, ldx, rows, y, ldy, into);
}

void transpose_to_panels(const float* x, std::size_t ldx, std::size_t rows, std::size_t width, float* out) {
  for (std::size_t p = 0; p < panels(rows); ++p) {
    float* panel = out + p * width * kPanel;
    const std::size_t columns = std::min(kPanel, rows - p * kPanel);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t c = 0; c < columns; ++c) panel[i * kPanel + c] = x[(p * kPanel + c) * ldx + i];
      for (std::size_t c = columns; c < kPanel; ++c) panel[i * kPanel + c] = 0.0f;
    }
  }
}

void linear_transposed(const float* weights, const float* bias, std::size_t out, std::size_t in, const float* x,
                       std::size_t rows, float* y) {
  HWY_DYNAMIC_DISPATCH(linear_transposed_target)(weights, bias, out, in, x, rows, y);
}

}  // namespace cmanp::kernels
#endif

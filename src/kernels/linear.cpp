#include "kernels/linear.hpp"

#include <algorithm>
#include <cstdint>

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
    rows_times_packed<kStart, kFinish>(x + r * ldx, ldx, HWY_MIN(kRowBlock, rows - r), layer.panels.data(),
                                       panels(layer.out), layer.in, layer.bias.data(), y + r * ldy, ldy);
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
  rows_times_panels<Start::row_bias>(weights, in, out, {x, kPanel, in * kPanel}, panels(rows), in, bias, y, kPanel,
                                     out * kPanel);
}

// A column of [width][ldc] from one row.
HWY_INLINE void transpose_row(const float* row, std::size_t first, std::size_t width, float* column, std::size_t ldc) {
  for (std::size_t i = first; i < width; ++i) column[i * ldc] = row[i];
}

// Four columns at once, four by four numbers in registers.
HWY_INLINE void transpose_four_rows(const float* rows, std::size_t ld, std::size_t width, float* columns,
                                    std::size_t ldc) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<float> d;
  const hn::Full128<std::uint64_t> pairs;
  const auto store = [&](std::size_t row, auto both) { hn::StoreU(hn::BitCast(d, both), d, columns + row * ldc); };
  for (; i + 4 <= width; i += 4) {
    const auto a = hn::LoadU(d, rows + i), b = hn::LoadU(d, rows + ld + i);
    const auto e = hn::LoadU(d, rows + 2 * ld + i), f = hn::LoadU(d, rows + 3 * ld + i);
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto ef_low = hn::BitCast(pairs, hn::InterleaveLower(d, e, f));
    const auto ef_high = hn::BitCast(pairs, hn::InterleaveUpper(d, e, f));
    store(i, hn::InterleaveLower(pairs, ab_low, ef_low));
    store(i + 1, hn::InterleaveUpper(pairs, ab_low, ef_low));
    store(i + 2, hn::InterleaveLower(pairs, ab_high, ef_high));
    store(i + 3, hn::InterleaveUpper(pairs, ab_high, ef_high));
  }
#endif
  for (std::size_t r = 0; r < 4; ++r) transpose_row(rows + r * ld, i, width, columns + r, ldc);
}

HWY_INLINE void transpose_rows(const float* rows, std::size_t ld, std::size_t count, std::size_t width, float* columns,
                               std::size_t ldc) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) transpose_four_rows(rows + r * ld, ld, width, columns + r, ldc);
  for (; r < count; ++r) transpose_row(rows + r * ld, 0, width, columns + r, ldc);
}

void transpose_to_panels_target(const float* x, std::size_t ldx, std::size_t rows, std::size_t width, float* out) {
  for (std::size_t p = 0; p < panels(rows); ++p) {
    float* panel = out + p * width * kPanel;
    const std::size_t columns = HWY_MIN(kPanel, rows - p * kPanel);
    transpose_rows(x + p * kPanel * ldx, ldx, columns, width, panel, kPanel);
    for (std::size_t i = 0; columns < kPanel && i < width; ++i) {
      std::fill(panel + i * kPanel + columns, panel + (i + 1) * kPanel, 0.0f);
    }
  }
}

void panels_to_rows_target(const float* in, std::size_t rows, std::size_t width, float* x, std::size_t ldx) {
  for (std::size_t p = 0; p < panels(rows); ++p) {
    transpose_rows(in + p * width * kPanel, kPanel, width, HWY_MIN(kPanel, rows - p * kPanel), x + p * kPanel * ldx,
                   ldx);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(linear_target);
HWY_EXPORT(linear_transposed_target);
HWY_EXPORT(transpose_to_panels_target);
HWY_EXPORT(panels_to_rows_target);

Linear Linear::pack(const float* weights, const float* bias, std::size_t out, std::size_t in) {
  Linear layer{in, out, Buffer<float>(padded(out) * in), Buffer<float>(padded(out))};
  transpose_to_panels(weights, in, out, in, layer.panels.data());
  if (bias != nullptr) std::copy_n(bias, out, layer.bias.data());
  return layer;
}

Linear Linear::pack_transposed(const float* weights, std::size_t in, std::size_t out) {
  Linear layer{in, out, Buffer<float>(padded(out) * in), Buffer<float>(padded(out))};
  for (std::size_t o = 0; o < out; o += kPanel) {
    float* panel = layer.panels.data() + o * in;
    for (std::size_t i = 0; i < in; ++i) {
      std::copy_n(weights + i * out + o, std::min(kPanel, out - o), panel + i * kPanel);
    }
  }
  return layer;
}

void linear(const Linear& layer, const float* x, std::size_t ldx, std::size_t rows, float* y, std::size_t ldy,
            Into into) {
  HWY_DYNAMIC_DISPATCH(linear_target)(layer, x, ldx, rows, y, ldy, into);
}

void transpose_to_panels(const float* x, std::size_t ldx, std::size_t rows, std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(transpose_to_panels_target)(x, ldx, rows, width, out);
}

void panels_to_rows(const float* in, std::size_t rows, std::size_t width, float* x, std::size_t ldx) {
  HWY_DYNAMIC_DISPATCH(panels_to_rows_target)(in, rows, width, x, ldx);
}

void linear_transposed(const float* weights, const float* bias, std::size_t out, std::size_t in, const float* x,
                       std::size_t rows, float* y) {
  HWY_DYNAMIC_DISPATCH(linear_transposed_target)(weights, bias, out, in, x, rows, y);
}

}  // namespace cmanp::kernels
#endif

#include "kernels/backward/linears.hpp"

#include <algorithm>
#include <array>

#include "kernels/backward/products.hpp"
#include "kernels/cursor.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/linears.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/matmul-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

// The gradient before a ReLU: nothing where nothing came out of it.
void relu_backward_target(const float* answers, std::size_t count, float* gradient) {
  const Floats d;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const auto open = hn::Gt(hn::LoadU(d, answers + i), hn::Zero(d));
    hn::StoreU(hn::IfThenElseZero(open, hn::LoadU(d, gradient + i)), d, gradient + i);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(relu_backward_target);

namespace {

constexpr std::size_t kForwardTile = 48;    // rows whose activations stay in the first-level cache
constexpr std::size_t kBackwardTile = 128;  // as in feed_forward_backward.cpp

// Rows on whole panels: those of `rows` themselves, or a copy with zeros behind them.
const float* on_panels(const float* rows, std::size_t count, std::size_t width, float* copy) {
  const std::size_t ld = padded(width);
  if (ld == width) return rows;
  for (std::size_t r = 0; r < count; ++r) {
    std::fill(std::copy_n(rows + r * width, width, copy + r * ld), copy + (r + 1) * ld, 0.0f);
  }
  return copy;
}

void without_padding(const float* rows, std::size_t count, std::size_t width, float* to) {
  const std::size_t ld = padded(width);
  for (std::size_t r = 0; r < count; ++r) std::copy_n(rows + r * ld, width, to + r * width);
}

std::size_t widest(const Linears& linears) {
  std::size_t most = padded(linears.in());
  for (const Linear& layer : linears.layers) most = std::max(most, padded(layer.out));
  return most;
}

// Two that layers hand their rows on by, in turn, and the input's copy.
struct Space {
  std::array<float*, 2> rows;
  float* x;

  Space(const Linears& linears, Cursor& cursor)
      : rows{cursor.take(kBackwardTile * widest(linears)), cursor.take(kBackwardTile * widest(linears))},
        x(cursor.take(kBackwardTile * padded(linears.in()))) {}
};

}  // namespace

std::size_t KeptRows::size(const Linears& linears, std::size_t rows) {
  std::size_t floats = 0;
  for (std::size_t i = 0; i + 1 < linears.layers.size(); ++i) floats += rows * padded(linears.layers[i].out);
  return floats;
}

KeptRows::KeptRows(const Linears& linears, float* base, std::size_t all_rows, std::size_t first) {
  for (std::size_t i = 0; i + 1 < linears.layers.size(); ++i) {
    const std::size_t ld = padded(linears.layers[i].out);
    layers.push_back(base + first * ld);
    base += all_rows * ld;
  }
}

LinearsGradient::LinearsGradient(const Linears& linears) {
  for (const Linear& layer : linears.layers) {
    weights.emplace_back(layer.out * padded(layer.in));
    biases.emplace_back(padded(layer.out));
  }
}

std::size_t linears_scratch(const Linears& linears) {
  Cursor cursor;
  Space(linears, cursor);
  return cursor.used();
}

void linears_forward(const Linears& linears, const float* x, std::size_t rows, const KeptRows* kept, float* y,
                     float* scratch) {
  Cursor cursor(scratch);
  const Space space(linears, cursor);
  const std::size_t last = linears.layers.size() - 1, out = linears.out();
  for (std::size_t r = 0; r < rows; r += kForwardTile) {
    const std::size_t tile = std::min(kForwardTile, rows - r);
    const float* from = x + r * linears.in();
    std::size_t ldx = linears.in();
    for (std::size_t i = 0; i < last; ++i) {
      const std::size_t ld = padded(linears.layers[i].out);
      float* to = kept == nullptr ? space.rows[i % 2] : kept->layers[i] + r * ld;
      linear(linears.layers[i], from, ldx, tile, to, ld, Into::set_relu);
      from = to;
      ldx = ld;
    }
    const bool direct = padded(out) == out;
    float* to = direct ? y + r * out : space.rows[last % 2];
    linear(linears.layers[last], from, ldx, tile, to, padded(out));
    if (!direct) without_padding(to, tile, out, y + r * out);
  }
}

void linears_backward(const Linears& linears, const float* x, const KeptRows& kept, const float* dy, std::size_t rows,
                      float* dx, LinearsGradient& gradient, float* scratch) {
  Cursor cursor(scratch);
  const Space space(linears, cursor);
  const std::size_t in = linears.in(), out = linears.out();
  for (std::size_t r = 0; r < rows; r += kBackwardTile) {
    const std::size_t tile = std::min(kBackwardTile, rows - r);
    const float* up = on_panels(dy + r * out, tile, out, space.rows[0]);
    for (std::size_t i = linears.layers.size(); i-- > 0;) {
      const std::size_t ldu = padded(linears.layers[i].out), ld = padded(linears.layers[i].in);
      const float* from = i == 0 ? on_panels(x + r * in, tile, in, space.x) : kept.layers[i - 1] + r * ld;
      add_transposed_product(up, ldu, linears.layers[i].out, from, ld, ld, tile, gradient.weights[i].data(), ld);
      add_column_sums(up, ldu, ldu, tile, gradient.biases[i].data());
      if (i == 0 && dx == nullptr) break;
      const bool direct = i == 0 && ld == in;
      float* down = direct ? dx + r * in : space.rows[up == space.rows[0] ? 1 : 0];
      linear(linears.transposed[i], up, ldu, tile, down, ld);
      if (i > 0) HWY_DYNAMIC_DISPATCH(relu_backward_target)(from, tile * ld, down);
      if (i == 0 && !direct) without_padding(down, tile, in, dx + r * in);
      up = down;
    }
  }
}

}  // namespace cmanp::kernels
#endif

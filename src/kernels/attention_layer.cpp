#include "kernels/attention_layer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace cmanp::kernels {

namespace {

constexpr std::size_t kTile = 48;  // queries: theirs and the keys' share of the second-level cache

// [inner][columns] with each head's rows moved to a panel of their own.
std::vector<float> spread_heads(const float* weights, const Heads& heads, std::size_t columns) {
  std::vector<float> spread(heads.padded_inner() * columns, 0.0f);
  for (std::size_t h = 0; h < heads.count; ++h) {
    std::copy_n(weights + h * heads.dim * columns, heads.dim * columns,
                spread.data() + h * padded(heads.dim) * columns);
  }
  return spread;
}

// W (gamma * n + beta) + b = (W gamma) n + (W beta + b): the affine part of a norm moved into the weights behind it.
void fold_norm(const float* gamma, const float* beta, std::size_t in, std::vector<float>& weights,
               std::vector<float>& bias) {
  for (std::size_t o = 0; o < bias.size(); ++o) {
    double shift = static_cast<double>(bias[o]);
    for (std::size_t i = 0; i < in; ++i) {
      float& weight = weights[o * in + i];
      shift += static_cast<double>(weight) * static_cast<double>(beta[i]);
      weight *= gamma[i];
    }
    bias[o] = static_cast<float>(shift);
  }
}

std::vector<float> copy_or_zeros(const float* values, std::size_t count) {
  return values != nullptr ? std::vector<float>(values, values + count) : std::vector<float>(count, 0.0f);
}

Buffer<float> to_buffer(const std::vector<float>& values) {
  Buffer<float> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

std::size_t tile_scratch(const AttentionLayer& layer, std::size_t keys) {
  return kTile * (padded(layer.heads.inner()) + layer.heads.padded_inner()) + attention_scratch(keys);
}

// The tile of queries from row `first` on attends and is added to x.
void attend_tile(const AttentionLayer& layer, const float* normal, std::size_t first, std::size_t rows,
                 const Keys& keys, float* x, float* scratch, const AttentionKept& kept) {
  const std::size_t ldx = padded(layer.width), ldq = padded(layer.heads.inner()), ldo = layer.heads.padded_inner();
  float* q = kept.q != nullptr ? kept.q + first * ldq : scratch;
  float* own = scratch + kTile * ldq;
  linear(layer.query, normal, ldx, rows, q, ldq);
  attend_and_add(layer, q, rows, keys, kept.attended != nullptr ? kept.attended + first * ldo : own, x + first * ldx,
                 own + kTile * ldo);
}

}  // namespace

AttentionLayer AttentionLayer::pack(const Raw& raw, Norm norm, const Heads& heads, std::size_t width,
                                    std::size_t context_width, HeadLayout layout) {
  const std::size_t inner = heads.inner();
  const float scale = 1.0f / std::sqrt(static_cast<float>(heads.dim));
  std::vector<float> query(raw.query, raw.query + inner * width);
  std::vector<float> query_bias = copy_or_zeros(raw.query_bias, inner);
  for (float& w : query) w *= scale;
  for (float& b : query_bias) b *= scale;

  std::vector<float> key(raw.key, raw.key + inner * context_width);
  std::vector<float> value(raw.value, raw.value + inner * context_width);
  std::vector<float> key_bias = copy_or_zeros(raw.key_bias, inner);
  std::vector<float> value_bias = copy_or_zeros(raw.value_bias, inner);
  if (raw.context_gamma != nullptr) {
    fold_norm(raw.context_gamma, raw.context_beta, context_width, key, key_bias);
    fold_norm(raw.context_gamma, raw.context_beta, context_width, value, value_bias);
  }

  // The output projection reads heads that start on panels: zero columns for the padding.
  std::vector<float> output(width * heads.padded_inner(), 0.0f);
  for (std::size_t o = 0; o < width; ++o) {
    const std::vector<float> row = spread_heads(raw.output + o * inner, heads, 1);
    std::copy(row.begin(), row.end(), output.begin() + static_cast<std::ptrdiff_t>(o * row.size()));
  }

  Heads laid = heads;
  if (layout == HeadLayout::on_panels) {
    laid.dim = padded(heads.dim);
    query = spread_heads(query.data(), heads, width);
    query_bias = spread_heads(query_bias.data(), heads, 1);
    key = spread_heads(key.data(), heads, context_width);
    key_bias = spread_heads(key_bias.data(), heads, 1);
  }
  return {laid,
          width,
          context_width,
          std::move(norm),
          Linear::pack(query.data(), query_bias.data(), laid.inner(), width),
          to_buffer(key),
          to_buffer(key_bias),
          Linear::pack(spread_heads(value.data(), heads, context_width).data(),
                       spread_heads(value_bias.data(), heads, 1).data(), heads.padded_inner(), context_width),
          Linear::pack(output.data(), raw.output_bias, width, heads.padded_inner())};
}

std::size_t AttentionLayer::bytes() const {
  return norm.bytes() + query.bytes() + key.bytes() + key_bias.bytes() + value.bytes() + output.bytes();
}

std::size_t AttentionLayer::cross_scratch(std::size_t keys) const {
  return kTile * padded(width) + tile_scratch(*this, keys);
}

std::size_t AttentionLayer::self_scratch(std::size_t rows) const {
  return padded(width) * (rows + padded(rows)) + keys_size(heads, rows) + values_size(heads, rows) +
         tile_scratch(*this, rows);
}

void project_keys(const AttentionLayer& layer, const float* context, std::size_t ld, const float* context_panels,
                  std::size_t rows, float* transposed, float* values) {
  linear_transposed(layer.key.data(), layer.key_bias.data(), layer.heads.inner(), layer.context_width, context_panels,
                    rows, transposed);
  linear(layer.value, context, ld, rows, values, layer.heads.padded_inner());
}

void make_keys(const AttentionLayer& layer, const float* context, std::size_t ld, std::size_t rows, float* panels,
               float* transposed, float* values) {
  transpose_to_panels(context, ld, rows, layer.context_width, panels);
  project_keys(layer, context, ld, panels, rows, transposed, values);
}

void attend_and_add(const AttentionLayer& layer, const float* q, std::size_t rows, const Keys& keys, float* attended,
                    float* x, float* scratch) {
  const std::size_t ldo = layer.heads.padded_inner();
  attend(layer.heads, q, padded(layer.heads.inner()), rows, keys, attended, ldo, scratch);
  linear(layer.output, attended, ldo, rows, x, padded(layer.width), Into::add);
}

void cross_attention(const AttentionLayer& layer, Residual residual, float* x, std::size_t rows, const Keys& keys,
                     float* scratch, const AttentionKept& kept) {
  const std::size_t ldx = padded(layer.width);
  for (std::size_t r = 0; r < rows; r += kTile) {
    const std::size_t tile = std::min(kTile, rows - r);
    float* to = x + r * ldx;
    // The normalised input is also what the published residual adds, so it may take x's place at once.
    float* normal = residual == Residual::normalised ? to : scratch;
    layer_norm(layer.norm, to, ldx, tile, normal, ldx);
    attend_tile(layer, normal, r, tile, keys, x, scratch + kTile * ldx, kept);
  }
}

void normal_attention(const AttentionLayer& layer, Residual residual, const float* normal, float* x, std::size_t rows,
                      const Keys& keys, float* scratch, const AttentionKept& kept) {
  const std::size_t ldx = padded(layer.width);
  if (residual == Residual::normalised) std::copy_n(normal, rows * ldx, x);
  for (std::size_t r = 0; r < rows; r += kTile) {
    attend_tile(layer, normal + r * ldx, r, std::min(kTile, rows - r), keys, x, scratch, kept);
  }
}

void self_attention(const AttentionLayer& layer, Residual residual, float* x, std::size_t rows, float* scratch,
                    const AttentionKept& kept) {
  const std::size_t ldx = padded(layer.width);
  float* normal = scratch;
  float* normal_panels = normal + rows * ldx;
  float* own_transposed = normal_panels + padded(rows) * ldx;
  float* own_values = own_transposed + keys_size(layer.heads, rows);
  float* rest = own_values + values_size(layer.heads, rows);
  float* transposed = kept.keys_transposed != nullptr ? kept.keys_transposed : own_transposed;
  float* values = kept.values != nullptr ? kept.values : own_values;

  layer_norm(layer.norm, x, ldx, rows, normal, ldx);
  make_keys(layer, normal, ldx, rows, normal_panels, transposed, values);
  normal_attention(layer, residual, normal, x, rows, {transposed, values, rows}, rest, kept);
}

}  // namespace cmanp::kernels

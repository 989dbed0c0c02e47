// What the attention nodes share: the packed layer, the queries' side, and gradients back in the parameters' shape.
#pragma once

#include <torch/torch.h>

#include <cmanp/residual.hpp>
#include <cmath>
#include <vector>

#include "kernels/backward/attention_layer_backward.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {

// What forward leaves for backward besides tensors.
struct Layer {
  kernels::Heads heads;  // of the true size
  kernels::AttentionLayer pack;
  kernels::Norm context_norm;  // of a cross-attention
  Residual residual;
};

struct Gradient {
  kernels::AttentionGradient weights;
  kernels::NormGradient norm;
  kernels::NormGradient context_norm;

  explicit Gradient(const kernels::AttentionLayer& layer)
      : weights(layer), norm(layer.width), context_norm(layer.context_width) {}
};

inline kernels::AttentionWeights weights_of(const torch::Tensor& query, const torch::Tensor& key_value,
                                            const torch::Tensor& output, const torch::Tensor& output_bias,
                                            const kernels::Heads& heads) {
  return {heads,
          extent(query, 1),
          extent(key_value, 1),
          query.data_ptr<float>(),
          key_value.data_ptr<float>(),
          output.data_ptr<float>(),
          output_bias.data_ptr<float>()};
}

inline Layer make_layer(const torch::Tensor& norm_weight, const torch::Tensor& norm_bias, const torch::Tensor& query,
                        const torch::Tensor& key_value, const torch::Tensor& output, const torch::Tensor& output_bias,
                        std::int64_t heads, std::int64_t residual) {
  const auto count = static_cast<std::size_t>(heads);
  const kernels::Heads shape{count, extent(query, 0) / count};
  return {
      shape,
      kernels::pack_layer(weights_of(query, key_value, output, output_bias, shape), pack_norm(norm_weight, norm_bias)),
      {},
      static_cast<Residual>(residual)};
}

// Queries' rows: normalised, and projected.
struct QuerySpace {
  float* normal;
  float* q;

  QuerySpace(const kernels::AttentionLayer& layer, std::size_t rows, kernels::Cursor& cursor)
      : normal(cursor.take(rows * kernels::padded(layer.width))), q(cursor.take(rows * layer.heads.inner())) {}

  void make(const kernels::AttentionLayer& layer, const float* x, std::size_t rows) const {
    const std::size_t ld = kernels::padded(layer.width);
    kernels::layer_norm(layer.norm, x, ld, rows, normal, ld);
    kernels::linear(layer.query, normal, ld, rows, q, layer.heads.inner());
  }
};

// dx = what comes through the norm from `dnormal`, and the residual's part of dy.
inline void residual_backward(const kernels::AttentionLayer& layer, Residual residual, const float* x, const float* dy,
                              std::size_t rows, float* dnormal, float* dx, Gradient& gradient) {
  const std::size_t ld = kernels::padded(layer.width);
  if (residual == Residual::normalised) {
    for (std::size_t i = 0; i < rows * ld; ++i) dnormal[i] += dy[i];
    std::fill_n(dx, rows * ld, 0.0f);
  } else {
    std::copy_n(dy, rows * ld, dx);
  }
  kernels::layer_norm_backward(layer.norm, x, dnormal, rows, ld, dx, gradient.norm);
}

// The weights' gradients in the order and shape of the parameters, heads back in their places.
struct WeightGradients {
  torch::Tensor query, key_value, output, output_bias;

  // `shape` is that of the heads' true size.
  WeightGradients(const std::vector<Gradient>& sums, const kernels::Heads& shape,
                  const kernels::AttentionLayer& layer) {
    const auto heads = static_cast<std::int64_t>(shape.count), dim = static_cast<std::int64_t>(shape.dim);
    const auto spread = static_cast<std::int64_t>(layer.heads.dim);
    const auto width = static_cast<std::int64_t>(layer.width);
    const auto context_width = static_cast<std::int64_t>(layer.context_width);
    const auto sum = [&](auto part) {
      return sum_of(
          sums, [&](const Gradient& g) -> auto& { return part(g.weights); });
    };
    const auto gather_rows = [&](const torch::Tensor& rows, std::int64_t columns) {
      return rows.view({heads, spread, columns}).narrow(1, 0, dim).reshape({heads * dim, columns});
    };
    query = gather_rows(sum([](const auto& g) -> auto& { return g.query; }), width) *
            (1.0 / std::sqrt(static_cast<double>(dim)));
    key_value = torch::cat({gather_rows(sum([](const auto& g) -> auto& { return g.key; }), context_width),
                            gather_rows(sum([](const auto& g) -> auto& { return g.value; }), context_width)});
    output = sum([](const auto& g) -> auto& { return g.output; })
                 .view({width, heads, spread})
                 .narrow(2, 0, dim)
                 .reshape({width, heads * dim});
    output_bias = sum([](const auto& g) -> auto& { return g.output_bias; });
  }
};

}  // namespace cmanp::training::fused

// What the attention nodes share: the packed layer, the queries' side, and gradients back in the parameters' shape.
#pragma once

#include <torch/torch.h>

#include <cmanp/residual.hpp>
#include <cmath>
#include <utility>
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

  // What is projected already is not projected again. Returns q.
  const float* make(const kernels::AttentionLayer& layer, const float* x, std::size_t rows,
                    const float* kept = nullptr) const {
    const std::size_t ld = kernels::padded(layer.width);
    kernels::layer_norm(layer.norm, x, ld, rows, normal, ld);
    if (kept != nullptr) return kept;
    kernels::linear(layer.query, normal, ld, rows, q, layer.heads.inner());
    return q;
  }
};

// The projections of all tasks that forward keeps for backward, or none of them.
class Projections {
 public:
  struct Task {
    float* q;                // [rows][inner]
    float* keys_transposed;  // [keys_size]
    float* values;           // [values_size]

    Task(const kernels::AttentionLayer& layer, std::size_t rows, std::size_t keys, kernels::Cursor cursor)
        : q(cursor.take(rows * layer.heads.inner())),
          keys_transposed(cursor.take(kernels::keys_size(layer.heads, keys))),
          values(cursor.take(kernels::values_size(layer.heads, keys))) {}
  };

  Projections(const kernels::AttentionLayer& layer, std::size_t rows, std::size_t keys, torch::Tensor memory)
      : layer_(layer), rows_(rows), keys_(keys), memory_(std::move(memory)) {}

  static torch::Tensor memory(const kernels::AttentionLayer& layer, std::size_t tasks, std::size_t rows,
                              std::size_t keys, bool kept) {
    if (!kept) return torch::empty({0});
    const std::size_t size = kernels::padded(rows * layer.heads.inner()) + kernels::keys_size(layer.heads, keys) +
                             kernels::padded(kernels::values_size(layer.heads, keys));
    return torch::empty({static_cast<std::int64_t>(tasks), static_cast<std::int64_t>(size)});
  }

  // Null pointers where nothing is kept.
  Task of(std::size_t task) const {
    float* base = memory_.numel() == 0 ? nullptr : memory_.data_ptr<float>() + task * extent(memory_, 1);
    return {layer_, rows_, keys_, kernels::Cursor(base)};
  }

 private:
  const kernels::AttentionLayer& layer_;
  std::size_t rows_, keys_;
  torch::Tensor memory_;
};

// Keys as backward reads them, from what is kept or else from normalised rows.
inline kernels::KeysBackward keys_of(const kernels::AttentionLayer& layer, const kernels::KeyBackwardSpace& space,
                                     const float* normal, const Projections::Task& kept) {
  if (kept.values != nullptr) return space.from(layer, kept.keys_transposed, kept.values);
  space.make(layer, normal);
  return space.view();
}

// What the gradient of the normalised rows starts from: the residual's part, where it goes through the norm.
inline void start_normal_gradient(Residual residual, const float* dy, std::size_t count, float* dnormal) {
  if (residual == Residual::normalised) {
    std::copy_n(dy, count, dnormal);
  } else {
    std::fill_n(dnormal, count, 0.0f);
  }
}

// dx = what comes through the norm from `dnormal`, and the residual's part of dy where that goes beside it.
inline void residual_backward(const kernels::AttentionLayer& layer, Residual residual, const float* x, const float* dy,
                              std::size_t rows, const float* dnormal, float* dx, Gradient& gradient) {
  const std::size_t ld = kernels::padded(layer.width);
  if (residual == Residual::normalised) {
    std::fill_n(dx, rows * ld, 0.0f);
  } else {
    std::copy_n(dy, rows * ld, dx);
  }
  kernels::layer_norm_backward(layer.norm, x, dnormal, rows, ld, dx, gradient.norm);
}

// The weights' gradients in the order and shape of the parameters, heads back in their places.
struct WeightGradients {
  torch::Tensor query, key_value, output, output_bias;

  // `shape` is that of the heads' true size, layer_of(sum) a sum's Gradient.
  template <class Sum, class LayerOf>
  WeightGradients(const ThreadSums<Sum>& sums, const LayerOf& layer_of, const kernels::Heads& shape,
                  const kernels::AttentionLayer& layer) {
    const auto inner = static_cast<std::int64_t>(shape.inner()), width = static_cast<std::int64_t>(layer.width);
    const auto context_width = static_cast<std::int64_t>(layer.context_width);
    const std::size_t dim = shape.dim, spread = layer.heads.dim;
    const auto rows_of_heads = [&](std::size_t columns) -> Blocks {
      return {shape.count, dim * columns, spread * columns};
    };
    query = torch::empty({inner, width});
    key_value = torch::empty({2 * inner, context_width});
    output = torch::empty({width, inner});
    sum_blocks(
        sums, [&](const Sum& s) -> auto& { return layer_of(s).weights.query; }, rows_of_heads(layer.width),
        query.data_ptr<float>(), 1.0f / std::sqrt(static_cast<float>(dim)));
    sum_blocks(
        sums, [&](const Sum& s) -> auto& { return layer_of(s).weights.key; }, rows_of_heads(layer.context_width),
        key_value.data_ptr<float>());
    sum_blocks(
        sums, [&](const Sum& s) -> auto& { return layer_of(s).weights.value; }, rows_of_heads(layer.context_width),
        key_value.data_ptr<float>() + shape.inner() * layer.context_width);
    sum_blocks(
        sums, [&](const Sum& s) -> auto& { return layer_of(s).weights.output; },
        {layer.width * shape.count, dim, spread}, output.data_ptr<float>());
    output_bias = sum_of(
        sums, [&](const Sum& s) -> auto& { return layer_of(s).weights.output_bias; });
  }

  WeightGradients(const ThreadSums<Gradient>& sums, const kernels::Heads& shape, const kernels::AttentionLayer& layer)
      : WeightGradients(
            sums, [](const Gradient& g) -> auto& { return g; }, shape, layer) {}
};

}  // namespace cmanp::training::fused

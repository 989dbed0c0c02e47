#include "training/fused/attention.hpp"

#include <cmath>
#include <optional>
#include <tuple>

#include "kernels/backward/attention_layer_backward.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::AttentionUp;
using kernels::Cursor;
using kernels::KeySpace;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What forward leaves for backward besides tensors.
struct Layer {
  kernels::Heads heads;  // of the true size
  kernels::AttentionForwardPack pack;
  kernels::Norm norm;
  kernels::Norm context_norm;  // of a cross-attention
  Residual residual;
};

struct Gradient {
  kernels::AttentionGradient weights;
  kernels::NormGradient norm;
  kernels::NormGradient context_norm;

  explicit Gradient(const Layer& layer)
      : weights(layer.pack), norm(layer.pack.width), context_norm(layer.pack.context_width) {}
};

kernels::AttentionWeights weights_of(const Tensor& query, const Tensor& key_value, const Tensor& output,
                                     const Tensor& output_bias, const kernels::Heads& heads) {
  return {heads,
          extent(query, 1),
          extent(key_value, 1),
          query.data_ptr<float>(),
          key_value.data_ptr<float>(),
          output.data_ptr<float>(),
          output_bias.data_ptr<float>()};
}

Layer make_layer(const Tensor& norm_weight, const Tensor& norm_bias, const Tensor& query, const Tensor& key_value,
                 const Tensor& output, const Tensor& output_bias, std::int64_t heads, std::int64_t residual) {
  const auto count = static_cast<std::size_t>(heads);
  const kernels::Heads shape{count, extent(query, 0) / count};
  return {shape,
          kernels::AttentionForwardPack::pack(weights_of(query, key_value, output, output_bias, shape)),
          pack_norm(norm_weight, norm_bias),
          {},
          static_cast<Residual>(residual)};
}

// Rows of one task, and where they lie in a tensor [B, rows, width].
float* task_rows(const Tensor& tensor, std::size_t task) {
  return tensor.data_ptr<float>() + task * extent(tensor, 1) * extent(tensor, 2);
}

// Queries' rows: normalised, and projected.
struct QuerySpace {
  float* normal;
  float* q;

  QuerySpace(const Layer& layer, std::size_t rows, Cursor& cursor)
      : normal(cursor.take(rows * kernels::padded(layer.pack.width))),
        q(cursor.take(rows * layer.pack.heads.inner())) {}

  void make(const Layer& layer, const float* x, std::size_t rows) const {
    const std::size_t ld = kernels::padded(layer.pack.width);
    kernels::layer_norm(layer.norm, x, ld, rows, normal, ld);
    kernels::linear(layer.pack.query, normal, ld, rows, q, layer.pack.heads.inner());
  }
};

// dx = what comes through the norm from `dnormal`, and the residual's part of dy.
void residual_backward(const Layer& layer, const float* x, const float* dy, std::size_t rows, float* dnormal, float* dx,
                       Gradient& gradient) {
  const std::size_t ld = kernels::padded(layer.pack.width);
  if (layer.residual == Residual::normalised) {
    for (std::size_t i = 0; i < rows * ld; ++i) dnormal[i] += dy[i];
    std::fill_n(dx, rows * ld, 0.0f);
  } else {
    std::copy_n(dy, rows * ld, dx);
  }
  kernels::layer_norm_backward(layer.norm, x, dnormal, rows, ld, dx, gradient.norm);
}

// The weights' gradients in the order and shape of the parameters, heads back in their places.
struct WeightGradients {
  Tensor query, key_value, output, output_bias;

  WeightGradients(const std::vector<Gradient>& sums, const Layer& layer) {
    const auto heads = static_cast<std::int64_t>(layer.heads.count), dim = static_cast<std::int64_t>(layer.heads.dim);
    const auto spread = static_cast<std::int64_t>(layer.pack.heads.dim);
    const auto width = static_cast<std::int64_t>(layer.pack.width);
    const auto context_width = static_cast<std::int64_t>(layer.pack.context_width);
    const auto sum = [&](auto part) {
      return sum_of(
          sums, [&](const Gradient& g) -> auto& { return part(g.weights); });
    };
    const auto gather_rows = [&](const Tensor& rows, std::int64_t columns) {
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

class SelfNode : public torch::autograd::Function<SelfNode> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x_in, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& query, const Tensor& key_value, const Tensor& output,
                        const Tensor& output_bias, std::int64_t heads, std::int64_t residual) {
    const Tensor x = x_in.contiguous();
    Layer layer = make_layer(norm_weight, norm_bias, query, key_value, output, output_bias, heads, residual);
    const std::size_t n = extent(x, 1), ld = extent(x, 2), inner = layer.pack.heads.inner();
    Tensor y = torch::empty_like(x);
    Tensor attended = torch::empty({x.size(0), x.size(1), static_cast<std::int64_t>(inner)});
    in_stretches(extent(x, 0), [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto carve = [&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer, n, cursor), KeySpace(layer.pack.heads, n, cursor),
                          cursor.take(kernels::attention_scratch(n)));
      };
      Cursor counter;
      carve(counter);
      Cursor cursor(scratch(counter.used()));
      const auto [queries, keys, rest] = carve(cursor);
      for (std::size_t task = begin; task < end; ++task) {
        queries.make(layer, task_rows(x, task), n);
        kernels::make_keys(layer.pack, queries.normal, n, keys, false);
        std::copy_n(layer.residual == Residual::normalised ? queries.normal : task_rows(x, task), n * ld,
                    task_rows(y, task));
        kernels::attend_and_add(layer.pack, queries.q, n, keys, n, task_rows(attended, task), task_rows(y, task), rest);
      }
    });
    context->save_for_backward({x, attended, query, key_value, output, output_bias});
    keep(context, "layer", std::move(layer));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &attended = saved[1];
    const Tensor up = gradients[0].contiguous();
    const Layer& layer = kept<Layer>(context, "layer");
    const auto back =
        kernels::AttentionBackwardPack::pack(weights_of(saved[2], saved[3], saved[4], saved[5], layer.heads));
    const std::size_t n = extent(x, 1), ld = extent(x, 2);
    Tensor dx = torch::empty_like(x);
    std::vector<Gradient> sums(stretches(extent(x, 0)), Gradient(layer));
    in_stretches(extent(x, 0), [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto carve = [&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer, n, cursor), KeySpace(layer.pack.heads, n, cursor),
                          AttentionUp(layer.pack.heads, n, n, cursor), cursor.take(n * ld),
                          cursor.take(kernels::attend_backward_scratch(n)));
      };
      Cursor counter;
      carve(counter);
      Cursor cursor(scratch(counter.used()));
      const auto [queries, keys, parts, dnormal, rest] = carve(cursor);
      for (std::size_t task = begin; task < end; ++task) {
        queries.make(layer, task_rows(x, task), n);
        kernels::make_keys(layer.pack, queries.normal, n, keys, true);
        kernels::attention_backward(layer.pack, back, queries.q, n, keys, n, task_rows(attended, task),
                                    task_rows(up, task), parts, sums[t].weights, rest);
        std::fill_n(dnormal, n * ld, 0.0f);
        kernels::queries_backward(back, queries.normal, n, parts.q, dnormal, sums[t].weights);
        kernels::keys_backward(back, queries.normal, n, parts, dnormal, sums[t].weights);
        residual_backward(layer, task_rows(x, task), task_rows(up, task), n, dnormal, task_rows(dx, task), sums[t]);
      }
    });
    const WeightGradients weights(sums, layer);
    return {dx,
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.norm.gamma; }),
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.norm.beta; }),
            weights.query,
            weights.key_value,
            weights.output,
            weights.output_bias,
            Tensor(),
            Tensor()};
  }
};

class CrossNode : public torch::autograd::Function<CrossNode> {
 public:
  static Tensor forward(AutogradContext* node, const Tensor& x_in, const Tensor& context_in, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& context_norm_weight, const Tensor& context_norm_bias,
                        const Tensor& query, const Tensor& key_value, const Tensor& output, const Tensor& output_bias,
                        std::int64_t heads, std::int64_t residual) {
    const Tensor x = x_in.contiguous(), context = context_in.contiguous();
    Layer layer = make_layer(norm_weight, norm_bias, query, key_value, output, output_bias, heads, residual);
    layer.context_norm = pack_norm(context_norm_weight, context_norm_bias);
    const std::size_t tasks = extent(context, 0), n = extent(x, 1), m = extent(context, 1);
    const std::size_t ld = extent(x, 2), ldc = extent(context, 2);
    const bool shared = x.size(0) == 1 && tasks > 1;
    Tensor y = torch::empty({context.size(0), x.size(1), x.size(2)});
    Tensor attended = torch::empty({context.size(0), x.size(1), static_cast<std::int64_t>(layer.pack.heads.inner())});
    const SharedQueries once(layer, x, shared);
    in_stretches(tasks, [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto carve = [&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer, shared ? 0 : n, cursor), KeySpace(layer.pack.heads, m, cursor),
                          cursor.take(m * ldc), cursor.take(kernels::attention_scratch(m)));
      };
      Cursor counter;
      carve(counter);
      Cursor cursor(scratch(counter.used()));
      const auto [own, keys, normal_context, rest] = carve(cursor);
      const QuerySpace& queries = shared ? *once.space : own;
      for (std::size_t task = begin; task < end; ++task) {
        const float* rows = task_rows(x, shared ? 0 : task);
        if (!shared) queries.make(layer, rows, n);
        kernels::layer_norm(layer.context_norm, task_rows(context, task), ldc, m, normal_context, ldc);
        kernels::make_keys(layer.pack, normal_context, m, keys, false);
        std::copy_n(layer.residual == Residual::normalised ? queries.normal : rows, n * ld, task_rows(y, task));
        kernels::attend_and_add(layer.pack, queries.q, n, keys, m, task_rows(attended, task), task_rows(y, task), rest);
      }
    });
    node->save_for_backward({x, context, attended, query, key_value, output, output_bias});
    keep(node, "layer", std::move(layer));
    return y;
  }

  static variable_list backward(AutogradContext* node, variable_list gradients) {
    const auto saved = node->get_saved_variables();
    const Tensor &x = saved[0], &context = saved[1], &attended = saved[2];
    const Tensor up = gradients[0].contiguous();
    const Layer& layer = kept<Layer>(node, "layer");
    const auto back =
        kernels::AttentionBackwardPack::pack(weights_of(saved[3], saved[4], saved[5], saved[6], layer.heads));
    const std::size_t tasks = extent(context, 0), n = extent(x, 1), m = extent(context, 1);
    const std::size_t ld = extent(x, 2), ldc = extent(context, 2), inner = layer.pack.heads.inner();
    const bool shared = x.size(0) == 1 && tasks > 1;
    Tensor dx = torch::empty_like(x), dcontext = torch::zeros_like(context);
    const std::size_t threads = stretches(tasks);
    std::vector<Gradient> sums(threads, Gradient(layer));
    const SharedQueries once(layer, x, shared);
    // With shared queries, theirs and the residual's gradient are summed over tasks first.
    std::vector<kernels::Buffer<float>> shared_dq(shared ? threads : 0, kernels::Buffer<float>(n * inner));
    std::vector<kernels::Buffer<float>> shared_dy(shared ? threads : 0, kernels::Buffer<float>(n * ld));
    in_stretches(tasks, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto carve = [&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer, shared ? 0 : n, cursor), KeySpace(layer.pack.heads, m, cursor),
                          AttentionUp(layer.pack.heads, n, m, cursor), cursor.take(m * ldc), cursor.take(m * ldc),
                          cursor.take(n * ld), cursor.take(kernels::attend_backward_scratch(m)));
      };
      Cursor counter;
      carve(counter);
      Cursor cursor(scratch(counter.used()));
      const auto [own, keys, parts, normal_context, dnormal_context, dnormal, rest] = carve(cursor);
      const QuerySpace& queries = shared ? *once.space : own;
      for (std::size_t task = begin; task < end; ++task) {
        if (!shared) queries.make(layer, task_rows(x, task), n);
        kernels::layer_norm(layer.context_norm, task_rows(context, task), ldc, m, normal_context, ldc);
        kernels::make_keys(layer.pack, normal_context, m, keys, true);
        kernels::attention_backward(layer.pack, back, queries.q, n, keys, m, task_rows(attended, task),
                                    task_rows(up, task), parts, sums[t].weights, rest);
        if (shared) {
          add(parts.q, n * inner, shared_dq[t].data());
          add(task_rows(up, task), n * ld, shared_dy[t].data());
        } else {
          std::fill_n(dnormal, n * ld, 0.0f);
          kernels::queries_backward(back, queries.normal, n, parts.q, dnormal, sums[t].weights);
          residual_backward(layer, task_rows(x, task), task_rows(up, task), n, dnormal, task_rows(dx, task), sums[t]);
        }
        std::fill_n(dnormal_context, m * ldc, 0.0f);
        kernels::keys_backward(back, normal_context, m, parts, dnormal_context, sums[t].weights);
        kernels::layer_norm_backward(layer.context_norm, task_rows(context, task), dnormal_context, m, ldc,
                                     task_rows(dcontext, task), sums[t].context_norm);
      }
    });
    if (shared) {
      for (std::size_t t = 1; t < threads; ++t) {
        add(shared_dq[t].data(), n * inner, shared_dq[0].data());
        add(shared_dy[t].data(), n * ld, shared_dy[0].data());
      }
      kernels::Buffer<float> dnormal(n * ld);
      kernels::queries_backward(back, once.space->normal, n, shared_dq[0].data(), dnormal.data(), sums[0].weights);
      residual_backward(layer, task_rows(x, 0), shared_dy[0].data(), n, dnormal.data(), task_rows(dx, 0), sums[0]);
    }
    const WeightGradients weights(sums, layer);
    return {dx,
            dcontext,
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.norm.gamma; }),
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.norm.beta; }),
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.context_norm.gamma; }),
            sum_of(
                sums, [](const Gradient& g) -> auto& { return g.context_norm.beta; }),
            weights.query,
            weights.key_value,
            weights.output,
            weights.output_bias,
            Tensor(),
            Tensor()};
  }

 private:
  // Normalised and projected once for all tasks.
  struct SharedQueries {
    SharedQueries(const Layer& layer, const Tensor& x, bool shared) {
      if (!shared) return;
      Cursor counter;
      QuerySpace(layer, extent(x, 1), counter);
      memory = kernels::Buffer<float>(counter.used());
      Cursor cursor(memory.data());
      space.emplace(layer, extent(x, 1), cursor);
      space->make(layer, x.data_ptr<float>(), extent(x, 1));
    }

    kernels::Buffer<float> memory;
    std::optional<QuerySpace> space;
  };

  static void add(const float* from, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  }
};

}  // namespace

torch::Tensor self_attention(const torch::Tensor& x, const AttentionParameters& p, std::int64_t heads,
                             Residual residual) {
  return SelfNode::apply(x, p.norm_weight, p.norm_bias, p.query, p.key_value, p.output, p.output_bias, heads,
                         static_cast<std::int64_t>(residual));
}

torch::Tensor cross_attention(const torch::Tensor& x, const torch::Tensor& context, const AttentionParameters& p,
                              std::int64_t heads, Residual residual) {
  return CrossNode::apply(x, context, p.norm_weight, p.norm_bias, p.context_norm_weight, p.context_norm_bias, p.query,
                          p.key_value, p.output, p.output_bias, heads, static_cast<std::int64_t>(residual));
}

}  // namespace cmanp::training::fused

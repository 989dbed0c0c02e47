#include <optional>
#include <tuple>

#include "training/fused/attention.hpp"
#include "training/fused/attention_node.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::AttentionUp;
using kernels::Cursor;
using kernels::KeyBackwardSpace;
using kernels::KeySpace;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class CrossNode : public torch::autograd::Function<CrossNode> {
 public:
  static Tensor forward(AutogradContext* node, const Tensor& x_in, const Tensor& context_in, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& context_norm_weight, const Tensor& context_norm_bias,
                        const Tensor& query, const Tensor& key_value, const Tensor& output, const Tensor& output_bias,
                        std::int64_t heads, std::int64_t residual, bool keeps) {
    const Tensor x = x_in.contiguous(), context = context_in.contiguous();
    Layer layer = make_layer(norm_weight, norm_bias, query, key_value, output, output_bias, heads, residual);
    layer.context_norm = pack_norm(context_norm_weight, context_norm_bias);
    const std::size_t tasks = extent(context, 0), n = extent(x, 1), m = extent(context, 1);
    const std::size_t ld = extent(x, 2), ldc = extent(context, 2);
    const bool shared = x.size(0) == 1 && tasks > 1;
    Tensor y = torch::empty({context.size(0), x.size(1), x.size(2)});
    Tensor attended = torch::empty({context.size(0), x.size(1), static_cast<std::int64_t>(layer.pack.heads.inner())});
    const SharedQueries once(layer.pack, x, shared);
    const Tensor memory = Projections::memory(layer.pack, tasks, shared ? 0 : n, m, keeps);
    const Projections projections(layer.pack, shared ? 0 : n, m, memory);
    in_stretches(tasks, [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto [space, normal_context, rest] = carved([&](Cursor& cursor) {
        return std::tuple(KeySpace(layer.pack, m, cursor), cursor.take(m * ldc),
                          cursor.take(layer.pack.cross_scratch(m)));
      });
      for (std::size_t task = begin; task < end; ++task) {
        float *to = task_rows(y, task), *read = task_rows(attended, task);
        const Projections::Task kept = projections.of(task);
        kernels::layer_norm(layer.context_norm, task_rows(context, task), ldc, m, normal_context, ldc);
        KeySpace keys = space;
        if (keeps) std::tie(keys.keys_transposed, keys.values) = std::tuple(kept.keys_transposed, kept.values);
        keys.make(layer.pack, normal_context);
        const float* rows = task_rows(x, shared ? 0 : task);
        std::copy_n(shared && layer.residual == Residual::normalised ? once.space->normal : rows, n * ld, to);
        if (shared) {
          kernels::attend_and_add(layer.pack, once.space->q, n, keys.view(), read, to, rest);
        } else {
          kernels::cross_attention(layer.pack, layer.residual, to, n, keys.view(), rest, {read, kept.q});
        }
      }
    });
    node->save_for_backward({x, context, attended, query, key_value, output, output_bias, memory});
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
    const Projections projections(layer.pack, shared ? 0 : n, m, saved[7]);
    Tensor dx = torch::empty_like(x), dcontext = torch::empty_like(context);
    const std::size_t threads = stretches(tasks);
    ThreadSums<Gradient> sums(threads);
    const SharedQueries once(layer.pack, x, shared);
    // With shared queries, theirs and the residual's gradient are summed over tasks first.
    ThreadSums<kernels::Buffer<float>> shared_dq(threads), shared_dy(threads);
    in_stretches(tasks, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto [own, keys, parts, normal_context, dnormal_context, dnormal, rest] = carved([&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer.pack, shared ? 0 : n, cursor), KeyBackwardSpace(layer.pack, m, cursor),
                          AttentionUp(layer.pack.heads, n, m, cursor), cursor.take(m * ldc), cursor.take(m * ldc),
                          cursor.take(n * ld), cursor.take(kernels::attend_backward_scratch(m)));
      });
      const QuerySpace& queries = shared ? *once.space : own;
      Gradient& sum = sums.start(t, layer.pack);
      if (shared) shared_dq.start(t, n * inner);
      if (shared) shared_dy.start(t, n * ld);
      for (std::size_t task = begin; task < end; ++task) {
        const Projections::Task kept = projections.of(task);
        const float* q = shared ? queries.q : queries.make(layer.pack, task_rows(x, task), n, kept.q);
        kernels::layer_norm(layer.context_norm, task_rows(context, task), ldc, m, normal_context, ldc);
        kernels::attention_backward(layer.pack, back, q, n, keys_of(layer.pack, keys, normal_context, kept),
                                    task_rows(attended, task), task_rows(up, task), parts, sum.weights, rest);
        if (shared) {
          add_rows(parts.q, n * inner, shared_dq[t].data());
          add_rows(task_rows(up, task), n * ld, shared_dy[t].data());
        } else {
          start_normal_gradient(layer.residual, task_rows(up, task), n * ld, dnormal);
          kernels::queries_backward(back, queries.normal, n, parts.q, dnormal, sum.weights);
          residual_backward(layer.pack, layer.residual, task_rows(x, task), task_rows(up, task), n, dnormal,
                            task_rows(dx, task), sum);
        }
        std::fill_n(dnormal_context, m * ldc, 0.0f);
        kernels::keys_backward(back, normal_context, m, parts, dnormal_context, sum.weights);
        std::fill_n(task_rows(dcontext, task), m * ldc, 0.0f);
        kernels::layer_norm_backward(layer.context_norm, task_rows(context, task), dnormal_context, m, ldc,
                                     task_rows(dcontext, task), sum.context_norm);
      }
    });
    if (shared) {
      for (std::size_t t = 1; t < threads; ++t) {
        add_rows(shared_dq[t].data(), n * inner, shared_dq[0].data());
        add_rows(shared_dy[t].data(), n * ld, shared_dy[0].data());
      }
      kernels::Buffer<float> dnormal(n * ld);
      start_normal_gradient(layer.residual, shared_dy[0].data(), n * ld, dnormal.data());
      kernels::queries_backward(back, once.space->normal, n, shared_dq[0].data(), dnormal.data(), sums[0].weights);
      residual_backward(layer.pack, layer.residual, task_rows(x, 0), shared_dy[0].data(), n, dnormal.data(),
                        task_rows(dx, 0), sums[0]);
    }
    const WeightGradients weights(sums, layer.heads, layer.pack);
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
            Tensor(),
            Tensor()};
  }

 private:
  // Normalised and projected once for all tasks.
  struct SharedQueries {
    SharedQueries(const kernels::AttentionLayer& layer, const Tensor& x, bool shared) {
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
};

}  // namespace

torch::Tensor cross_attention(const torch::Tensor& x, const torch::Tensor& context, const AttentionParameters& p,
                              std::int64_t heads, Residual residual) {
  return CrossNode::apply(x, context, p.norm_weight, p.norm_bias, p.context_norm_weight, p.context_norm_bias, p.query,
                          p.key_value, p.output, p.output_bias, heads, static_cast<std::int64_t>(residual),
                          keeps_projections(context.size(0), std::max(x.size(1), context.size(1))));
}

}  // namespace cmanp::training::fused

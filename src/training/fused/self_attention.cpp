#include <tuple>

#include "training/fused/attention.hpp"
#include "training/fused/attention_node.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::AttentionUp;
using kernels::Cursor;
using kernels::KeyBackwardSpace;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SelfNode : public torch::autograd::Function<SelfNode> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x_in, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& query, const Tensor& key_value, const Tensor& output,
                        const Tensor& output_bias, std::int64_t heads, std::int64_t residual, bool keeps) {
    const Tensor x = x_in.contiguous();
    Layer layer = make_layer(norm_weight, norm_bias, query, key_value, output, output_bias, heads, residual);
    const std::size_t n = extent(x, 1), ld = extent(x, 2), inner = layer.pack.heads.inner();
    Tensor y = torch::empty_like(x);
    Tensor attended = torch::empty({x.size(0), x.size(1), static_cast<std::int64_t>(inner)});
    const Tensor memory = Projections::memory(layer.pack, extent(x, 0), n, n, keeps);
    const Projections projections(layer.pack, n, n, memory);
    in_stretches(extent(x, 0), [&](std::size_t, std::size_t begin, std::size_t end) {
      float* space = scratch(layer.pack.self_scratch(n));
      for (std::size_t task = begin; task < end; ++task) {
        const Projections::Task kept = projections.of(task);
        std::copy_n(task_rows(x, task), n * ld, task_rows(y, task));
        kernels::self_attention(layer.pack, layer.residual, task_rows(y, task), n, space,
                                {task_rows(attended, task), kept.q, kept.keys_transposed, kept.values});
      }
    });
    context->save_for_backward({x, attended, query, key_value, output, output_bias, memory});
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
    const Projections projections(layer.pack, n, n, saved[6]);
    Tensor dx = torch::empty_like(x);
    ThreadSums<Gradient> sums(stretches(extent(x, 0)));
    in_stretches(extent(x, 0), [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto [queries, keys, parts, dnormal, rest] = carved([&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer.pack, n, cursor), KeyBackwardSpace(layer.pack, n, cursor),
                          AttentionUp(layer.pack.heads, n, n, cursor), cursor.take(n * ld),
                          cursor.take(kernels::attend_backward_scratch(n)));
      });
      Gradient& sum = sums.start(t, layer.pack);
      for (std::size_t task = begin; task < end; ++task) {
        const Projections::Task kept = projections.of(task);
        const float* q = queries.make(layer.pack, task_rows(x, task), n, kept.q);
        kernels::attention_backward(layer.pack, back, q, n, keys_of(layer.pack, keys, queries.normal, kept),
                                    task_rows(attended, task), task_rows(up, task), parts, sum.weights, rest);
        start_normal_gradient(layer.residual, task_rows(up, task), n * ld, dnormal);
        kernels::queries_backward(back, queries.normal, n, parts.q, dnormal, sum.weights);
        kernels::keys_backward(back, queries.normal, n, parts, dnormal, sum.weights);
        residual_backward(layer.pack, layer.residual, task_rows(x, task), task_rows(up, task), n, dnormal,
                          task_rows(dx, task), sum);
      }
    });
    const WeightGradients weights(sums, layer.heads, layer.pack);
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
            Tensor(),
            Tensor()};
  }
};

}  // namespace

torch::Tensor self_attention(const torch::Tensor& x, const AttentionParameters& p, std::int64_t heads,
                             Residual residual) {
  return SelfNode::apply(x, p.norm_weight, p.norm_bias, p.query, p.key_value, p.output, p.output_bias, heads,
                         static_cast<std::int64_t>(residual), keeps_projections(x.size(0), x.size(1)));
}

}  // namespace cmanp::training::fused

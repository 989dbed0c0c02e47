#include "training/fused/softmax_attention.hpp"

#include <tuple>

#include "kernels/backward/attention_backward.hpp"
#include "kernels/linear.hpp"
#include "training/attention/heads.hpp"
#include "training/fused/switch.hpp"
#include "training/fused/tensors.hpp"
#include "training/fused/visible_keys.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::Cursor;
using kernels::Heads;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Keys are turned once for all queries: for fewer than these the plain product is as fast.
constexpr std::int64_t kFewestQueries = 8;

Heads heads_of(const Tensor& rows, std::int64_t heads) {
  const auto count = static_cast<std::size_t>(heads);
  return {count, extent(rows, 2) / count};
}

// All rows are [tasks, rows, inner].
class SoftmaxNode : public torch::autograd::Function<SoftmaxNode> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Visible& visible, std::int64_t heads) {
    const Heads shape = heads_of(q, heads);
    const VisibleKeys seen(visible);
    const std::size_t rows = extent(q, 1), count = extent(k, 1), inner = shape.inner();
    Tensor attended = torch::empty_like(q);
    in_stretches(extent(q, 0), [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto [keys, rest] = carved([&](Cursor& cursor) {
        return std::tuple(cursor.take(kernels::keys_size(shape, count)),
                          cursor.take(kernels::attention_scratch(count)));
      });
      for (std::size_t task = begin; task < end; ++task) {
        kernels::transpose_to_panels(task_rows(k, task), inner, count, inner, keys);
        kernels::attend(shape, task_rows(q, task), inner, rows, {keys, task_rows(v, task), count, seen.by_query()},
                        task_rows(attended, task), inner, rest);
      }
    });
    context->save_for_backward({q, k, v});
    context->saved_data["visible"] = visible;
    context->saved_data["heads"] = heads;
    return attended;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const Tensor up = gradients[0].contiguous();
    const Heads shape = heads_of(q, context->saved_data["heads"].toInt());
    const VisibleKeys seen(context->saved_data["visible"].toIntVector());
    const std::size_t rows = extent(q, 1), count = extent(k, 1), inner = shape.inner();
    Tensor dq = torch::empty_like(q), dk = torch::zeros_like(k), dv = torch::zeros_like(v);
    in_stretches(extent(q, 0), [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto [keys, values, rest] = carved([&](Cursor& cursor) {
        return std::tuple(cursor.take(kernels::keys_size(shape, count)), cursor.take(kernels::keys_size(shape, count)),
                          cursor.take(kernels::attend_backward_scratch(count)));
      });
      for (std::size_t task = begin; task < end; ++task) {
        kernels::transpose_to_panels(task_rows(k, task), inner, count, inner, keys);
        kernels::transpose_to_panels(task_rows(v, task), inner, count, inner, values);
        kernels::attend_backward(shape, task_rows(q, task), rows,
                                 {task_rows(k, task), keys, values, count, seen.by_query()}, task_rows(up, task),
                                 task_rows(dq, task), task_rows(dk, task), task_rows(dv, task), rest);
      }
    });
    return {dq, dk, dv, Tensor(), Tensor()};
  }
};

// [..., H, n, h] to [tasks, n, H * h]
Tensor joined_tasks(const Tensor& x) { return join_heads(x).flatten(0, -3).contiguous(); }

}  // namespace

bool softmax_attention_runs(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (!Off::none() || q.dim() < 4 || q.size(-2) < kFewestQueries) return false;
  for (const Tensor& x : {q, k, v}) {
    if (x.dim() != q.dim() || !on_panels(x)) return false;
  }
  return q.sizes().slice(0, static_cast<std::size_t>(q.dim() - 2)) ==
         k.sizes().slice(0, static_cast<std::size_t>(k.dim() - 2));
}

Tensor softmax_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& visible) {
  const Tensor attended =
      SoftmaxNode::apply(joined_tasks(q), joined_tasks(k), joined_tasks(v), counts_of(visible), q.size(-3));
  std::vector<std::int64_t> shape(q.sizes().begin(), q.sizes().end() - 3);
  shape.insert(shape.end(), {q.size(-2), q.size(-3) * q.size(-1)});
  return attended.view(shape);
}

}  // namespace cmanp::training::fused

#include "training/fused/relative_attention.hpp"

#include <optional>
#include <tuple>

#include "kernels/backward/relative_attention_backward.hpp"
#include "training/fused/attention_node.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::AttentionUp;
using kernels::Cursor;
using kernels::PlacedRows;
using kernels::RelativeHeads;
using kernels::RelativeKeyBackwardSpace;
using kernels::RelativeKeySpace;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool given(const Tensor& tensor) { return tensor.numel() > 0; }
Tensor or_empty(const Tensor& tensor) { return tensor.defined() ? tensor : torch::empty({0}); }

// Places of all tasks, or of one for all of them, with their turns.
class TaskPlaces {
 public:
  TaskPlaces(const RelativeHeads& relative, const Tensor& places)
      : places_(places),
        rows_(extent(places, 1)),
        width_(relative.turns()),
        cos_(count() * rows_ * width_),
        sin_(count() * rows_ * width_) {
    in_stretches(count(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t task = begin; task < end; ++task) {
        const std::size_t at = task * rows_ * width_;
        kernels::make_turns(relative, task_rows(places_, task), rows_, cos_.data() + at, sin_.data() + at);
      }
    });
  }

  PlacedRows of(std::size_t task) const {
    const std::size_t own = count() == 1 ? 0 : task, at = own * rows_ * width_;
    return {task_rows(places_, own), {cos_.data() + at, sin_.data() + at}, rows_};
  }

 private:
  std::size_t count() const { return extent(places_, 0); }

  Tensor places_;
  std::size_t rows_, width_;
  kernels::Buffer<float> cos_, sin_;
};

// What forward leaves for backward besides tensors.
struct RelativeWork {
  kernels::Heads heads;  // of the true size
  kernels::RelativeLayer layer;
  kernels::Norm context_norm;  // of a cross-attention
  Residual residual;
  TaskPlaces places;
  std::optional<TaskPlaces> context_places;  // none: it attends to itself

  const kernels::AttentionLayer& pack() const { return layer.layer; }
  bool itself() const { return !context_places; }
  const TaskPlaces& key_places() const { return context_places ? *context_places : places; }
};

// Queries' rows as QuerySpace has them, turned.
void make_queries(const RelativeWork& work, const QuerySpace& space, const float* x, const PlacedRows& rows) {
  const std::size_t ld = kernels::padded(work.pack().width);
  kernels::layer_norm(work.pack().norm, x, ld, rows.count, space.normal, ld);
  kernels::relative_queries(work.layer, space.normal, rows, space.q);
}

// Where all tasks have the same queries: normalised, projected and turned once.
class SameQueries {
 public:
  SameQueries(const RelativeWork& work, const Tensor& x, bool same) {
    if (!same) return;
    Cursor counter;
    QuerySpace(work.pack(), extent(x, 1), counter);
    memory_ = kernels::Buffer<float>(counter.used());
    Cursor cursor(memory_.data());
    space_.emplace(work.pack(), extent(x, 1), cursor);
    make_queries(work, *space_, x.data_ptr<float>(), work.places.of(0));
  }

  const QuerySpace* space() const { return space_ ? &*space_ : nullptr; }

 private:
  kernels::Buffer<float> memory_;
  std::optional<QuerySpace> space_;
};

struct RelativeSums {
  Gradient layer;
  kernels::RelativeGradient relative;

  explicit RelativeSums(const RelativeWork& work) : layer(work.pack()), relative(work.layer.relative) {}
};

class RelativeNode : public torch::autograd::Function<RelativeNode> {
 public:
  static Tensor forward(AutogradContext* node, const Tensor& x_in, const Tensor& places, const Tensor& context_in,
                        const Tensor& context_places, const Tensor& norm_weight, const Tensor& norm_bias,
                        const Tensor& context_norm_weight, const Tensor& context_norm_bias, const Tensor& query,
                        const Tensor& key_value, const Tensor& output, const Tensor& output_bias, const Tensor& gamma,
                        const Tensor& omega, const Tensor& null_score, const Tensor& null_value,
                        std::int64_t residual) {
    const Tensor x = x_in.contiguous(), context = context_in.contiguous();
    Layer layer = make_layer(norm_weight, norm_bias, query, key_value, output, output_bias, gamma.size(0), residual);
    const bool null = given(null_score);
    RelativeHeads relative = RelativeHeads::pack(
        layer.pack.heads, extent(omega, 1), extent(omega, 2), gamma.contiguous().data_ptr<float>(),
        omega.contiguous().data_ptr<float>(), null ? null_score.contiguous().data_ptr<float>() : nullptr,
        null ? null_value.contiguous().data_ptr<float>() : nullptr);
    TaskPlaces of_queries(relative, places.contiguous());
    std::optional<TaskPlaces> of_keys;
    if (given(context)) of_keys.emplace(relative, context_places.contiguous());
    RelativeWork work{layer.heads,
                      kernels::RelativeLayer::pack(std::move(layer.pack), std::move(relative)),
                      {},
                      layer.residual,
                      std::move(of_queries),
                      std::move(of_keys)};
    if (!work.itself()) work.context_norm = pack_norm(context_norm_weight, context_norm_bias);

    const Tensor& from = work.itself() ? x : context;
    const std::size_t tasks = extent(from, 0), n = extent(x, 1), m = extent(from, 1), ld = extent(x, 2);
    const bool same = extent(x, 0) == 1 && tasks > 1;
    Tensor y = torch::empty({from.size(0), x.size(1), x.size(2)});
    Tensor attended = torch::empty({from.size(0), x.size(1), static_cast<std::int64_t>(work.pack().heads.inner())});
    const SameQueries once(work, x, same);
    in_stretches(tasks, [&](std::size_t, std::size_t begin, std::size_t end) {
      // What is shared, or attends to itself, needs its queries' rows normalised at once.
      const auto [normal, keys, rest] = carved([&](Cursor& cursor) {
        return std::tuple(cursor.take(std::max(n, m) * ld), RelativeKeySpace(work.layer, m, cursor),
                          cursor.take(work.layer.cross_scratch(m)));
      });
      for (std::size_t task = begin; task < end; ++task) {
        const PlacedRows placed = work.places.of(task), keys_placed = work.key_places().of(task);
        const float* rows = task_rows(x, same ? 0 : task);
        float *to = task_rows(y, task), *kept = task_rows(attended, task);
        kernels::layer_norm(work.itself() ? work.pack().norm : work.context_norm, task_rows(from, task), ld, m, normal,
                            ld);
        keys.make(work.layer, normal, keys_placed);
        const kernels::RelativeKeys view = keys.view(work.layer, keys_placed);
        std::copy_n(same && work.residual == Residual::normalised ? once.space()->normal : rows, n * ld, to);
        if (work.itself()) {
          kernels::relative_normal_attention(work.layer, work.residual, normal, to, placed, view, rest, kept);
        } else if (same) {
          kernels::attend_relative_and_add(work.layer, once.space()->q, placed, view, kept, to, rest);
        } else {
          kernels::relative_cross_attention(work.layer, work.residual, to, placed, view, rest, kept);
        }
      }
    });
    node->save_for_backward({x, context, attended, query, key_value, output, output_bias});
    keep(node, "work", std::move(work));
    return y;
  }

  static variable_list backward(AutogradContext* node, variable_list gradients) {
    const auto saved = node->get_saved_variables();
    const Tensor &x = saved[0], &context = saved[1], &attended = saved[2];
    const Tensor up = gradients[0].contiguous();
    const RelativeWork& work = kept<RelativeWork>(node, "work");
    const kernels::AttentionLayer& layer = work.pack();
    const auto back =
        kernels::AttentionBackwardPack::pack(weights_of(saved[3], saved[4], saved[5], saved[6], work.heads));
    const Tensor& from = work.itself() ? x : context;
    const std::size_t tasks = extent(from, 0), n = extent(x, 1), m = extent(from, 1), ld = extent(x, 2);
    const std::size_t inner = layer.heads.inner(), threads = stretches(tasks);
    const bool same = extent(x, 0) == 1 && tasks > 1;
    Tensor dx = torch::empty_like(x), dcontext = work.itself() ? Tensor() : torch::zeros_like(context);
    ThreadSums<RelativeSums> sums(threads);
    const SameQueries once(work, x, same);
    // With the same queries, theirs and the residual's gradient are summed over tasks first.
    ThreadSums<kernels::Buffer<float>> same_dq(threads), same_dy(threads);
    in_stretches(tasks, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const std::size_t apart = work.itself() ? 0 : m * ld;
      const auto [own, keys, parts, normal_context, dnormal_context, dnormal, rest] = carved([&](Cursor& cursor) {
        return std::tuple(QuerySpace(layer, same ? 0 : n, cursor), RelativeKeyBackwardSpace(work.layer, m, cursor),
                          AttentionUp(layer.heads, n, m, cursor), cursor.take(apart), cursor.take(apart),
                          cursor.take(n * ld),
                          cursor.take(kernels::relative_backward_scratch(work.layer.relative, n, m)));
      });
      const QuerySpace& queries = same ? *once.space() : own;
      RelativeSums& sum = sums.start(t, work);
      if (same) same_dq.start(t, n * inner);
      if (same) same_dy.start(t, n * ld);
      for (std::size_t task = begin; task < end; ++task) {
        const PlacedRows placed = work.places.of(task), keys_placed = work.key_places().of(task);
        if (!same) make_queries(work, queries, task_rows(x, task), placed);
        const float* normal = queries.normal;
        if (!work.itself()) {
          kernels::layer_norm(work.context_norm, task_rows(context, task), ld, m, normal_context, ld);
          normal = normal_context;
        }
        keys.make(work.layer, normal, keys_placed);
        kernels::relative_backward(work.layer, back, queries.q, placed, keys, keys_placed, task_rows(attended, task),
                                   task_rows(up, task), parts, sum.layer.weights, sum.relative, rest);
        if (!same) start_normal_gradient(work.residual, task_rows(up, task), n * ld, dnormal);
        if (work.itself()) {
          kernels::keys_backward(back, normal, m, parts, dnormal, sum.layer.weights);
        } else {
          std::fill_n(dnormal_context, m * ld, 0.0f);
          kernels::keys_backward(back, normal, m, parts, dnormal_context, sum.layer.weights);
          kernels::layer_norm_backward(work.context_norm, task_rows(context, task), dnormal_context, m, ld,
                                       task_rows(dcontext, task), sum.layer.context_norm);
        }
        if (same) {
          add_rows(parts.q, n * inner, same_dq[t].data());
          add_rows(task_rows(up, task), n * ld, same_dy[t].data());
        } else {
          kernels::queries_backward(back, queries.normal, n, parts.q, dnormal, sum.layer.weights);
          residual_backward(layer, work.residual, task_rows(x, task), task_rows(up, task), n, dnormal,
                            task_rows(dx, task), sum.layer);
        }
      }
    });
    if (same) {
      for (std::size_t t = 1; t < threads; ++t) {
        add_rows(same_dq[t].data(), n * inner, same_dq[0].data());
        add_rows(same_dy[t].data(), n * ld, same_dy[0].data());
      }
      kernels::Buffer<float> dnormal(n * ld);
      start_normal_gradient(work.residual, same_dy[0].data(), n * ld, dnormal.data());
      kernels::queries_backward(back, once.space()->normal, n, same_dq[0].data(), dnormal.data(),
                                sums[0].layer.weights);
      residual_backward(layer, work.residual, task_rows(x, 0), same_dy[0].data(), n, dnormal.data(), task_rows(dx, 0),
                        sums[0].layer);
    }
    return results(work, sums, dx, dcontext);
  }

 private:
  static variable_list results(const RelativeWork& work, const ThreadSums<RelativeSums>& sums, const Tensor& dx,
                               const Tensor& dcontext) {
    const WeightGradients weights(
        sums, [](const RelativeSums& s) -> auto& { return s.layer; }, work.heads, work.pack());
    const auto total = [&](auto part) { return sum_of(sums, part); };
    const RelativeHeads& relative = work.layer.relative;
    const auto heads = static_cast<std::int64_t>(relative.heads.count), half = static_cast<std::int64_t>(relative.half);
    const auto axes = static_cast<std::int64_t>(relative.axes), dim = static_cast<std::int64_t>(relative.heads.dim);
    const Tensor domega = total([](const RelativeSums& s) -> auto& { return s.relative.omega; })
                              .view({axes, -1})
                              .narrow(1, 0, heads * half)
                              .t()
                              .reshape({heads, half, axes});
    const bool cross = !work.itself(), null = relative.has_null();
    const auto where = [](bool there, const Tensor& gradient) { return there ? gradient : Tensor(); };
    return {dx,
            Tensor(),
            dcontext,
            Tensor(),
            total([](const RelativeSums& s) -> auto& { return s.layer.norm.gamma; }),
            total([](const RelativeSums& s) -> auto& { return s.layer.norm.beta; }),
            where(cross, total([](const RelativeSums& s) -> auto& { return s.layer.context_norm.gamma; })),
            where(cross, total([](const RelativeSums& s) -> auto& { return s.layer.context_norm.beta; })),
            weights.query,
            weights.key_value,
            weights.output,
            weights.output_bias,
            total([](const RelativeSums& s) -> auto& { return s.relative.gamma; }),
            domega,
            where(null, total([](const RelativeSums& s) -> auto& { return s.relative.null_score; })),
            where(null, total([](const RelativeSums& s) -> auto& { return s.relative.null_value; })
                            .view({heads, dim})
                            .narrow(1, 0, 2 * half)),
            Tensor()};
  }
};

}  // namespace

Tensor relative_attention(const Tensor& x, const Tensor& places, const Tensor& context, const Tensor& context_places,
                          const RelativeParameters& p, Residual residual) {
  // The same queries at other places are other queries.
  const bool apart = x.size(0) == 1 && places.size(0) > 1;
  const AttentionParameters& a = p.attention;
  return RelativeNode::apply(apart ? x.expand({places.size(0), -1, -1}) : x, places, or_empty(context),
                             or_empty(context_places), a.norm_weight, a.norm_bias, or_empty(a.context_norm_weight),
                             or_empty(a.context_norm_bias), a.query, a.key_value, a.output, a.output_bias, p.gamma,
                             p.omega, or_empty(p.null_score), or_empty(p.null_value),
                             static_cast<std::int64_t>(residual));
}

}  // namespace cmanp::training::fused

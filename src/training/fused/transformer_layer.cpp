#include "training/fused/transformer_layer.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/backward/attention_backward.hpp"
#include "kernels/backward/layer_norm_backward.hpp"
#include "kernels/backward/linears.hpp"
#include "training/fused/switch.hpp"
#include "training/fused/tensors.hpp"
#include "training/fused/visible_keys.hpp"

namespace cmanp::training::fused {
namespace {

using kernels::Cursor;
using kernels::Linears;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void scale_by(float factor, kernels::Buffer<float>& numbers) {
  for (float& number : numbers) number *= factor;
}

void add_layer(Linears& linears, const float* weights, const float* bias, std::size_t out, std::size_t in) {
  linears.layers.push_back(kernels::Linear::pack(weights, bias, out, in));
  linears.transposed.push_back(kernels::Linear::pack_transposed(weights, out, in));
}

struct PackedLayer {
  kernels::Heads heads;
  Linears query, key, value, output, feed_forward;  // queries scaled by 1 / sqrt(head size)
  kernels::Norm norm1, norm2;
  Visible visible;

  std::size_t width() const { return query.in(); }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(heads.dim)); }
};

PackedLayer packed(const TransformerParameters& p, std::int64_t heads, Visible visible) {
  const std::size_t width = extent(p.output, 0), hidden = extent(p.hidden, 0), count = static_cast<std::size_t>(heads);
  PackedLayer layer{{count, width / count},
                    {},
                    {},
                    {},
                    {},
                    {},
                    pack_norm(p.norm1_weight, p.norm1_bias),
                    pack_norm(p.norm2_weight, p.norm2_bias),
                    std::move(visible)};
  Linears* const projections[] = {&layer.query, &layer.key, &layer.value};
  for (std::size_t i = 0; i < 3; ++i) {
    add_layer(*projections[i], p.projections.data_ptr<float>() + i * width * width,
              p.projection_biases.data_ptr<float>() + i * width, width, width);
  }
  scale_by(layer.scale(), layer.query.layers[0].panels);
  scale_by(layer.scale(), layer.query.layers[0].bias);
  scale_by(layer.scale(), layer.query.transposed[0].panels);
  add_layer(layer.output, p.output.data_ptr<float>(), p.output_bias.data_ptr<float>(), width, width);
  add_layer(layer.feed_forward, p.hidden.data_ptr<float>(), p.hidden_bias.data_ptr<float>(), hidden, width);
  add_layer(layer.feed_forward, p.back.data_ptr<float>(), p.back_bias.data_ptr<float>(), width, hidden);
  return layer;
}

// What forward leaves of one task for backward, rows without gaps.
struct TaskRows {
  float *q, *keys, *values, *attended;
  float* before1;  // what the norms read
  float* before2;
  float* hidden;

  TaskRows(const PackedLayer& layer, std::size_t rows, std::size_t keys_count, Cursor& cursor)
      : q(cursor.take(rows * layer.width())),
        keys(cursor.take(keys_count * layer.width())),
        values(cursor.take(keys_count * layer.width())),
        attended(cursor.take(rows * layer.width())),
        before1(cursor.take(rows * layer.width())),
        before2(cursor.take(rows * layer.width())),
        hidden(cursor.take(kernels::KeptRows::size(layer.feed_forward, rows))) {}

  static std::size_t size(const PackedLayer& layer, std::size_t rows, std::size_t keys_count) {
    Cursor cursor;
    TaskRows(layer, rows, keys_count, cursor);
    return cursor.used();
  }

  static TaskRows of(const PackedLayer& layer, std::size_t rows, std::size_t keys_count, const Tensor& memory,
                     std::size_t task) {
    Cursor cursor(memory.data_ptr<float>() + task * extent(memory, 1));
    return {layer, rows, keys_count, cursor};
  }
};

std::size_t most_scratch(const PackedLayer& layer) {
  return std::max(kernels::linears_scratch(layer.query), kernels::linears_scratch(layer.feed_forward));
}

// One task forward: y = norm2(z + W2 relu(W1 z)), z = norm1(x + attention(x)).
struct ForwardSpace {
  float *keys_transposed, *normal, *scores, *rest;

  ForwardSpace(const PackedLayer& layer, std::size_t rows, std::size_t keys, Cursor& cursor)
      : keys_transposed(cursor.take(kernels::keys_size(layer.heads, keys))),
        normal(cursor.take(rows * layer.width())),
        scores(cursor.take(kernels::attention_scratch(keys))),
        rest(cursor.take(most_scratch(layer))) {}

  void run(const PackedLayer& layer, const std::size_t* visible, const float* x, std::size_t rows, std::size_t keys,
           const TaskRows& kept, float* y) const {
    const std::size_t width = layer.width(), all = rows * width;
    kernels::linears_forward(layer.query, x, rows, nullptr, kept.q, rest);
    kernels::linears_forward(layer.key, x, keys, nullptr, kept.keys, rest);
    kernels::linears_forward(layer.value, x, keys, nullptr, kept.values, rest);
    kernels::transpose_to_panels(kept.keys, width, keys, width, keys_transposed);
    kernels::attend(layer.heads, kept.q, width, rows, {keys_transposed, kept.values, keys, visible}, kept.attended,
                    width, scores);
    kernels::linears_forward(layer.output, kept.attended, rows, nullptr, kept.before1, rest);
    add_rows(x, all, kept.before1);
    kernels::layer_norm(layer.norm1, kept.before1, width, rows, normal, width);
    const kernels::KeptRows hidden(layer.feed_forward, kept.hidden, rows, 0);
    kernels::linears_forward(layer.feed_forward, normal, rows, &hidden, kept.before2, rest);
    add_rows(normal, all, kept.before2);
    kernels::layer_norm(layer.norm2, kept.before2, width, rows, y, width);
  }
};

struct Gradient {
  kernels::LinearsGradient query, key, value, output, feed_forward;
  kernels::NormGradient norm1, norm2;

  explicit Gradient(const PackedLayer& layer)
      : query(layer.query),
        key(layer.key),
        value(layer.value),
        output(layer.output),
        feed_forward(layer.feed_forward),
        norm1(layer.width()),
        norm2(layer.width()) {}
};

// One task backward. `up` and `down` hold gradients of rows, in turn.
struct BackwardSpace {
  float *keys_transposed, *values_transposed, *normal, *up, *down, *dq, *dkeys, *dvalues, *scores, *rest;

  BackwardSpace(const PackedLayer& layer, std::size_t rows, std::size_t keys, Cursor& cursor)
      : keys_transposed(cursor.take(kernels::keys_size(layer.heads, keys))),
        values_transposed(cursor.take(kernels::keys_size(layer.heads, keys))),
        normal(cursor.take(rows * layer.width())),
        up(cursor.take(rows * layer.width())),
        down(cursor.take(rows * layer.width())),
        dq(cursor.take(rows * layer.width())),
        dkeys(cursor.take(keys * layer.width())),
        dvalues(cursor.take(keys * layer.width())),
        scores(cursor.take(kernels::attend_backward_scratch(keys))),
        rest(cursor.take(most_scratch(layer))) {}

  void run(const PackedLayer& layer, const std::size_t* visible, const float* x, std::size_t rows, std::size_t keys,
           const TaskRows& kept, const float* dy, float* dx, Gradient& gradient) const {
    const std::size_t width = layer.width(), all = rows * width;
    const kernels::KeptRows none(layer.query, nullptr, rows, 0), hidden(layer.feed_forward, kept.hidden, rows, 0);

    std::fill_n(up, all, 0.0f);
    kernels::layer_norm_backward(layer.norm2, kept.before2, dy, rows, width, up, gradient.norm2);
    kernels::layer_norm(layer.norm1, kept.before1, width, rows, normal, width);
    kernels::linears_backward(layer.feed_forward, normal, hidden, up, rows, down, gradient.feed_forward, rest);
    add_rows(up, all, down);

    std::fill_n(dx, all, 0.0f);
    kernels::layer_norm_backward(layer.norm1, kept.before1, down, rows, width, dx, gradient.norm1);
    kernels::linears_backward(layer.output, kept.attended, none, dx, rows, up, gradient.output, rest);

    kernels::transpose_to_panels(kept.keys, width, keys, width, keys_transposed);
    kernels::transpose_to_panels(kept.values, width, keys, width, values_transposed);
    std::fill_n(dkeys, keys * width, 0.0f);
    std::fill_n(dvalues, keys * width, 0.0f);
    kernels::attend_backward(layer.heads, kept.q, rows, {kept.keys, keys_transposed, values_transposed, keys, visible},
                             up, dq, dkeys, dvalues, scores);
    kernels::linears_backward(layer.query, x, none, dq, rows, down, gradient.query, rest);
    add_rows(down, all, dx);
    kernels::linears_backward(layer.key, x, none, dkeys, keys, down, gradient.key, rest);
    add_rows(down, keys * width, dx);
    kernels::linears_backward(layer.value, x, none, dvalues, keys, down, gradient.value, rest);
    add_rows(down, keys * width, dx);
  }
};

class TransformerNode : public torch::autograd::Function<TransformerNode> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x_in, const Tensor& projections,
                        const Tensor& projection_biases, const Tensor& output, const Tensor& output_bias,
                        const Tensor& norm1_weight, const Tensor& norm1_bias, const Tensor& hidden,
                        const Tensor& hidden_bias, const Tensor& back, const Tensor& back_bias,
                        const Tensor& norm2_weight, const Tensor& norm2_bias, std::int64_t heads, std::int64_t keys_in,
                        const Visible& visible) {
    PackedLayer layer = packed({projections, projection_biases, output, output_bias, norm1_weight, norm1_bias, hidden,
                                hidden_bias, back, back_bias, norm2_weight, norm2_bias},
                               heads, visible);
    const Tensor x = x_in.contiguous();
    const std::size_t tasks = extent(x, 0), rows = extent(x, 1), keys = static_cast<std::size_t>(keys_in);
    const VisibleKeys seen(visible);
    const Tensor y = torch::empty_like(x);
    const Tensor memory =
        torch::empty({static_cast<std::int64_t>(tasks), static_cast<std::int64_t>(TaskRows::size(layer, rows, keys))});
    in_stretches(tasks, [&](std::size_t, std::size_t begin, std::size_t end) {
      const auto space = carved([&](Cursor& cursor) { return ForwardSpace(layer, rows, keys, cursor); });
      for (std::size_t task = begin; task < end; ++task) {
        space.run(layer, seen.by_query(), task_rows(x, task), rows, keys, TaskRows::of(layer, rows, keys, memory, task),
                  task_rows(y, task));
      }
    });
    context->save_for_backward({x, memory});
    context->saved_data["keys"] = keys_in;
    keep(context, "layer", std::move(layer));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &memory = saved[1];
    const Tensor up = gradients[0].contiguous();
    const auto& layer = kept<PackedLayer>(context, "layer");
    const std::size_t tasks = extent(x, 0), rows = extent(x, 1);
    const auto keys = static_cast<std::size_t>(context->saved_data["keys"].toInt());
    const VisibleKeys seen(layer.visible);
    const Tensor dx = torch::empty_like(x);
    ThreadSums<Gradient> sums(stretches(tasks));
    in_stretches(tasks, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const auto space = carved([&](Cursor& cursor) { return BackwardSpace(layer, rows, keys, cursor); });
      Gradient& sum = sums.start(t, layer);
      for (std::size_t task = begin; task < end; ++task) {
        space.run(layer, seen.by_query(), task_rows(x, task), rows, keys, TaskRows::of(layer, rows, keys, memory, task),
                  task_rows(up, task), task_rows(dx, task), sum);
      }
    });
    return gradients_of(layer, sums, dx);
  }

 private:
  // In the order of forward's arguments.
  static variable_list gradients_of(const PackedLayer& layer, const ThreadSums<Gradient>& sums, const Tensor& dx) {
    const std::size_t width = layer.width();
    const auto w = static_cast<std::int64_t>(width);
    using Part = kernels::LinearsGradient Gradient::*;
    // Weights without the padding behind their rows, and biases.
    const auto weights = [&](const Linears& of, Part part, std::size_t i, float* to, float factor = 1.0f) {
      const std::size_t in = of.layers[i].in;
      sum_blocks(
          sums, [&](const Gradient& g) -> auto& { return (g.*part).weights[i]; },
          {of.layers[i].out, in, kernels::padded(in)}, to, factor);
    };
    const auto biases = [&](const Linears& of, Part part, std::size_t i, float* to, float factor = 1.0f) {
      const std::size_t out = of.layers[i].out;
      sum_blocks(
          sums, [&](const Gradient& g) -> auto& { return (g.*part).biases[i]; }, {1, out, out}, to, factor);
    };
    const Tensor projections = torch::empty({3 * w, w}), projection_biases = torch::empty({3 * w});
    const auto projection = [&](const Linears& of, Part part, std::size_t place, float factor) {
      weights(of, part, 0, projections.data_ptr<float>() + place * width * width, factor);
      biases(of, part, 0, projection_biases.data_ptr<float>() + place * width, factor);
    };
    projection(layer.query, &Gradient::query, 0, layer.scale());
    projection(layer.key, &Gradient::key, 1, 1.0f);
    projection(layer.value, &Gradient::value, 2, 1.0f);
    const auto matrix = [&](const Linears& of, Part part, std::size_t i) {
      const Tensor sum =
          torch::empty({static_cast<std::int64_t>(of.layers[i].out), static_cast<std::int64_t>(of.layers[i].in)});
      weights(of, part, i, sum.data_ptr<float>());
      return sum;
    };
    const auto vector = [&](const Linears& of, Part part, std::size_t i) {
      const Tensor sum = torch::empty({static_cast<std::int64_t>(of.layers[i].out)});
      biases(of, part, i, sum.data_ptr<float>());
      return sum;
    };
    const auto norm = [&](auto part) { return sum_of(sums, part); };
    return {dx,
            projections,
            projection_biases,
            matrix(layer.output, &Gradient::output, 0),
            vector(layer.output, &Gradient::output, 0),
            norm([](const Gradient& g) -> auto& { return g.norm1.gamma; }),
            norm([](const Gradient& g) -> auto& { return g.norm1.beta; }),
            matrix(layer.feed_forward, &Gradient::feed_forward, 0),
            vector(layer.feed_forward, &Gradient::feed_forward, 0),
            matrix(layer.feed_forward, &Gradient::feed_forward, 1),
            vector(layer.feed_forward, &Gradient::feed_forward, 1),
            norm([](const Gradient& g) -> auto& { return g.norm2.gamma; }),
            norm([](const Gradient& g) -> auto& { return g.norm2.beta; }),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

bool transformer_layer_runs(const Tensor& x, std::int64_t heads) {
  constexpr auto kWhole = static_cast<std::int64_t>(kernels::kPanel);
  return torch::GradMode::is_enabled() && runs({x}) && x.size(-1) % (heads * kWhole) == 0 &&
         extent(x, 0) >= Crew::of_process().threads();
}

Tensor transformer_layer(const Tensor& x, const TransformerParameters& p, std::int64_t heads, std::int64_t keys,
                         const Tensor& visible) {
  return TransformerNode::apply(x, p.projections, p.projection_biases, p.output, p.output_bias, p.norm1_weight,
                                p.norm1_bias, p.hidden, p.hidden_bias, p.back, p.back_bias, p.norm2_weight,
                                p.norm2_bias, heads, keys, counts_of(visible));
}

}  // namespace cmanp::training::fused

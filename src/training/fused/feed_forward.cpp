#include "training/fused/feed_forward.hpp"

#include "kernels/backward/feed_forward_backward.hpp"
#include "kernels/feed_forward.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows that go to a thread at once: whole tiles of the kernels.
constexpr std::size_t kRows = 48;

class Node : public torch::autograd::Function<Node> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& norm_weight, const Tensor& norm_bias,
                        const Tensor& in_weight, const Tensor& in_bias, const Tensor& out_weight,
                        const Tensor& out_bias, std::int64_t residual) {
    const Tensor rows = x.contiguous();
    const std::size_t width = extent(rows, -1), count = static_cast<std::size_t>(rows.numel()) / width;
    auto layer = kernels::FeedForward::pack(pack_norm(norm_weight, norm_bias), in_weight.data_ptr<float>(),
                                            in_bias.data_ptr<float>(), out_weight.data_ptr<float>(),
                                            out_bias.data_ptr<float>(), width, extent(out_weight, 1));
    Tensor y = rows.clone();
    float* data = y.data_ptr<float>();
    in_stretches((count + kRows - 1) / kRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t first = begin * kRows, last = std::min(end * kRows, count);
      kernels::feed_forward(layer, static_cast<Residual>(residual), data + first * width, last - first,
                            scratch(layer.scratch()));
    });
    context->save_for_backward({rows, in_weight, out_weight});
    context->saved_data["residual"] = residual;
    keep(context, "layer", std::move(layer));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor& x = saved[0];
    const Tensor up = gradients[0].contiguous();
    const auto& layer = kept<kernels::FeedForward>(context, "layer");
    const std::size_t width = layer.norm.width, hidden = layer.hidden, half = kernels::padded(hidden);
    const std::size_t count = static_cast<std::size_t>(x.numel()) / width;
    const auto residual = static_cast<Residual>(context->saved_data["residual"].toInt());
    const auto transposed =
        kernels::FeedForwardTransposed::pack(saved[1].data_ptr<float>(), saved[2].data_ptr<float>(), width, hidden);
    Tensor dx = torch::empty_like(x);
    const std::size_t tiles = (count + kRows - 1) / kRows;
    std::vector<kernels::FeedForwardGradient> sums(stretches(tiles), {width, hidden});
    in_stretches(tiles, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const std::size_t first = begin * kRows * width, last = std::min(end * kRows, count) * width;
      kernels::feed_forward_backward(layer, transposed, residual, x.data_ptr<float>() + first,
                                     up.data_ptr<float>() + first, (last - first) / width, dx.data_ptr<float>() + first,
                                     sums[t], scratch(kernels::feed_forward_backward_scratch(layer)));
    });

    using Gradient = kernels::FeedForwardGradient;
    const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(hidden);
    const auto padded_h = static_cast<std::int64_t>(half);
    const auto sum = [&](auto part) { return sum_of(sums, part); };
    // Values and gates were moved to panels: back to [2 hidden].
    const auto gather = [&](const Tensor& rows) {
      return torch::cat({rows.narrow(0, 0, h), rows.narrow(0, padded_h, h)});
    };
    return {dx,
            sum([](const Gradient& g) -> auto& { return g.norm.gamma; }),
            sum([](const Gradient& g) -> auto& { return g.norm.beta; }),
            gather(sum([](const Gradient& g) -> auto& { return g.in; }).view({2 * padded_h, w})),
            gather(sum([](const Gradient& g) -> auto& { return g.in_bias; })),
            sum([](const Gradient& g) -> auto& { return g.out; }).view({w, padded_h}).narrow(1, 0, h).contiguous(),
            sum([](const Gradient& g) -> auto& { return g.out_bias; }),
            Tensor()};
  }
};

}  // namespace

torch::Tensor feed_forward(const torch::Tensor& x, const FeedForwardParameters& p, Residual residual) {
  return Node::apply(x, p.norm_weight, p.norm_bias, p.in_weight, p.in_bias, p.out_weight, p.out_bias,
                     static_cast<std::int64_t>(residual));
}

}  // namespace cmanp::training::fused

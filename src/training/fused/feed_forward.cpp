#include "training/fused/feed_forward.hpp"

#include "kernels/backward/feed_forward_backward.hpp"
#include "kernels/feed_forward.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows are copied so many at a time: whole tiles of the kernels, which find them in the cache.
constexpr std::size_t kCopied = 48;

class Node : public torch::autograd::Function<Node> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& norm_weight, const Tensor& norm_bias,
                        const Tensor& in_weight, const Tensor& in_bias, const Tensor& out_weight,
                        const Tensor& out_bias, std::int64_t residual, bool keeps) {
    const Tensor rows = x.contiguous();
    const std::size_t width = extent(rows, -1), count = static_cast<std::size_t>(rows.numel()) / width;
    auto layer = kernels::FeedForward::pack(pack_norm(norm_weight, norm_bias), in_weight.data_ptr<float>(),
                                            in_bias.data_ptr<float>(), out_weight.data_ptr<float>(),
                                            out_bias.data_ptr<float>(), width, extent(out_weight, 1));
    const std::size_t both = 2 * kernels::padded(layer.hidden);
    Tensor y = torch::empty_like(rows);
    const Tensor projected = torch::empty({static_cast<std::int64_t>(keeps ? count * both : 0)});
    in_stretches((count + kStretchRows - 1) / kStretchRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t last = std::min(end * kStretchRows, count);
      for (std::size_t r = begin * kStretchRows; r < last; r += kCopied) {
        const std::size_t tile = std::min(kCopied, last - r);
        float* to = y.data_ptr<float>() + r * width;
        std::copy_n(rows.data_ptr<float>() + r * width, tile * width, to);
        kernels::feed_forward(layer, static_cast<Residual>(residual), to, tile, scratch(layer.scratch()),
                              keeps ? projected.data_ptr<float>() + r * both : nullptr);
      }
    });
    context->save_for_backward({rows, in_weight, out_weight, projected});
    context->saved_data["residual"] = residual;
    keep(context, "layer", std::move(layer));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &projected = saved[3];
    const bool keeps = projected.numel() > 0;
    const Tensor up = gradients[0].contiguous();
    const auto& layer = kept<kernels::FeedForward>(context, "layer");
    const std::size_t width = layer.norm.width, hidden = layer.hidden, half = kernels::padded(hidden);
    const std::size_t count = static_cast<std::size_t>(x.numel()) / width;
    const auto residual = static_cast<Residual>(context->saved_data["residual"].toInt());
    const auto transposed =
        kernels::FeedForwardTransposed::pack(saved[1].data_ptr<float>(), saved[2].data_ptr<float>(), width, hidden);
    Tensor dx = torch::empty_like(x);
    const std::size_t tiles = (count + kStretchRows - 1) / kStretchRows;
    ThreadSums<kernels::FeedForwardGradient> sums(stretches(tiles));
    in_stretches(tiles, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const std::size_t first = begin * kStretchRows, last = std::min(end * kStretchRows, count), at = first * width;
      kernels::feed_forward_backward(layer, transposed, residual, x.data_ptr<float>() + at, up.data_ptr<float>() + at,
                                     last - first, dx.data_ptr<float>() + at, sums.start(t, width, hidden),
                                     scratch(kernels::feed_forward_backward_scratch(layer)),
                                     keeps ? projected.data_ptr<float>() + first * 2 * half : nullptr);
    });

    using Gradient = kernels::FeedForwardGradient;
    const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(hidden);
    const auto sum = [&](auto part) { return sum_of(sums, part); };
    // Values and gates were moved to panels: back to [2 hidden].
    Tensor din = torch::empty({2 * h, w}), din_bias = torch::empty({2 * h}), dout = torch::empty({w, h});
    sum_blocks(
        sums, [](const Gradient& g) -> auto& { return g.in; }, {2, hidden * width, half * width},
        din.data_ptr<float>());
    sum_blocks(
        sums, [](const Gradient& g) -> auto& { return g.in_bias; }, {2, hidden, half}, din_bias.data_ptr<float>());
    sum_blocks(
        sums, [](const Gradient& g) -> auto& { return g.out; }, {width, hidden, half}, dout.data_ptr<float>());
    return {dx,
            sum([](const Gradient& g) -> auto& { return g.norm.gamma; }),
            sum([](const Gradient& g) -> auto& { return g.norm.beta; }),
            din,
            din_bias,
            dout,
            sum([](const Gradient& g) -> auto& { return g.out_bias; }),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

torch::Tensor feed_forward(const torch::Tensor& x, const FeedForwardParameters& p, Residual residual) {
  return Node::apply(x, p.norm_weight, p.norm_bias, p.in_weight, p.in_bias, p.out_weight, p.out_bias,
                     static_cast<std::int64_t>(residual), keeps_projections(x.size(0), x.size(1)));
}

}  // namespace cmanp::training::fused

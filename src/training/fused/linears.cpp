#include "training/fused/linears.hpp"

#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/backward/linears.hpp"
#include "training/fused/switch.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

std::size_t rows_of(const Tensor& x) { return static_cast<std::size_t>(x.numel()) / extent(x, -1); }

bool any_wanted(const variable_list& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.defined() && t.requires_grad(); });
}

kernels::Linears pack(const variable_list& weights, const variable_list& biases, bool both_sides) {
  kernels::Linears linears;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Tensor weight = weights[i].contiguous();
    const std::size_t out = extent(weight, 0), in = extent(weight, 1);
    const Tensor bias = biases[i].defined() ? biases[i].contiguous() : Tensor();
    linears.layers.push_back(
        kernels::Linear::pack(weight.data_ptr<float>(), bias.defined() ? bias.data_ptr<float>() : nullptr, out, in));
    if (both_sides) {
      linears.transposed.push_back(kernels::Linear::pack_transposed(weight.data_ptr<float>(), out, in));
    }
  }
  return linears;
}

// A node of its own kind: torch::autograd::Function takes no lists of tensors. Edges are x, the weights, the biases.
class LinearsNode : public torch::autograd::Node {
 public:
  LinearsNode(torch::autograd::edge_list edges, Tensor x, Tensor memory, kernels::Linears linears)
      : Node(std::move(edges)), x_(std::move(x)), memory_(std::move(memory)), linears_(std::move(linears)) {}

  std::string name() const override { return "cmanp::linears"; }

  void release_variables() override {
    x_.reset();
    memory_.reset();
  }

 private:
  variable_list apply(variable_list&& gradients) override {
    if (!x_.defined()) throw std::logic_error("linears: a second backward through what the first one freed");
    const torch::NoGradGuard no_grad;
    const Tensor up = gradients[0].contiguous();
    const std::size_t in = linears_.in(), out = linears_.out(), count = rows_of(x_);
    const bool of_x = task_should_compute_output(0);
    const Tensor dx = of_x ? torch::empty_like(x_) : Tensor();
    const std::size_t tiles = (count + kStretchRows - 1) / kStretchRows;
    ThreadSums<kernels::LinearsGradient> sums(stretches(tiles));
    in_stretches(tiles, [&](std::size_t t, std::size_t begin, std::size_t end) {
      const std::size_t first = begin * kStretchRows, last = std::min(end * kStretchRows, count);
      const kernels::KeptRows kept(linears_, memory_.data_ptr<float>(), count, first);
      kernels::linears_backward(linears_, x_.data_ptr<float>() + first * in, kept, up.data_ptr<float>() + first * out,
                                last - first, of_x ? dx.data_ptr<float>() + first * in : nullptr,
                                sums.start(t, linears_), scratch(kernels::linears_scratch(linears_)));
    });
    variable_list result{dx};
    const std::size_t layers = linears_.layers.size();
    for (std::size_t i = 0; i < layers; ++i) {
      const std::size_t rows = linears_.layers[i].out, columns = linears_.layers[i].in;
      result.push_back(torch::empty({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}));
      sum_blocks(
          sums, [i](const kernels::LinearsGradient& g) -> auto& { return g.weights[i]; },
          {rows, columns, kernels::padded(columns)}, result.back().data_ptr<float>());
    }
    for (std::size_t i = 0; i < layers; ++i) {
      result.emplace_back();
      if (!task_should_compute_output(1 + layers + i)) continue;
      const std::size_t rows = linears_.layers[i].out;
      result.back() = torch::empty({static_cast<std::int64_t>(rows)});
      sum_blocks(
          sums, [i](const kernels::LinearsGradient& g) -> auto& { return g.biases[i]; }, {1, rows, rows},
          result.back().data_ptr<float>());
    }
    return result;
  }

  Tensor x_, memory_;
  kernels::Linears linears_;
};

}  // namespace

bool linears_run(const torch::Tensor& x) {
  return Off::none() && x.device().is_cpu() && x.scalar_type() == torch::kFloat && x.numel() > 0;
}

torch::Tensor linears(const torch::Tensor& x, const std::vector<torch::Tensor>& weights,
                      const std::vector<torch::Tensor>& biases) {
  const bool wants_gradient =
      torch::GradMode::is_enabled() && (x.requires_grad() || any_wanted(weights) || any_wanted(biases));
  Tensor rows, y, memory;
  kernels::Linears linears;
  {
    const torch::NoGradGuard no_grad;
    rows = x.detach().contiguous();
    linears = pack(weights, biases, wants_gradient);
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape.back() = static_cast<std::int64_t>(linears.out());
    y = torch::empty(shape);
    const std::size_t count = rows_of(rows), size = wants_gradient ? kernels::KeptRows::size(linears, count) : 0;
    memory = torch::empty({static_cast<std::int64_t>(size)});
    in_stretches((count + kStretchRows - 1) / kStretchRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t first = begin * kStretchRows, last = std::min(end * kStretchRows, count);
      const kernels::KeptRows kept(linears, memory.data_ptr<float>(), count, first);
      kernels::linears_forward(linears, rows.data_ptr<float>() + first * linears.in(), last - first,
                               wants_gradient ? &kept : nullptr, y.data_ptr<float>() + first * linears.out(),
                               scratch(kernels::linears_scratch(linears)));
    });
  }
  if (wants_gradient) {
    auto edges = torch::autograd::collect_next_edges(x, weights, biases);
    const std::shared_ptr<LinearsNode> node(new LinearsNode(std::move(edges), rows, memory, std::move(linears)),
                                            torch::autograd::deleteNode);
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace cmanp::training::fused

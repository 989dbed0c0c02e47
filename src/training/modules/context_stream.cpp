#include "training/modules/context_stream.hpp"

#include <algorithm>

#include "training/fused/tensors.hpp"

namespace cmanp::training {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Blocks = std::vector<std::shared_ptr<StreamedBlock>>;

struct StreamWork {
  ContextStream context;
  Blocks blocks;

  // Calls work(first, x, y) with each chunk of points.
  template <class Work>
  void for_each_chunk(const Work& work) const {
    const std::int64_t points = context.x.size(1);
    for (std::int64_t first = 0; first < points; first += context.chunk) {
      const std::int64_t count = std::min(context.chunk, points - first);
      work(first, context.x.narrow(1, first, count), context.y.narrow(1, first, count));
    }
  }

  // All that the result is a function of: x, y, the embedding's parameters, and each block's inputs.
  variable_list inputs() const {
    variable_list all{context.x, context.y};
    all.insert(all.end(), context.parameters.begin(), context.parameters.end());
    for (const auto& block : blocks) all.insert(all.end(), block->inputs().begin(), block->inputs().end());
    return all;
  }
};

class StreamNode : public torch::autograd::Function<StreamNode> {
 public:
  static variable_list forward(AutogradContext* node, at::TensorList inputs, const StreamWork& stream) {
    stream.for_each_chunk([&](std::int64_t, const Tensor& x, const Tensor& y) {
      const Tensor tokens = stream.context.embed(x, y);
      for (const auto& block : stream.blocks) block->absorb(tokens);
    });
    variable_list attended;
    for (const auto& block : stream.blocks) attended.push_back(block->attended());
    node->save_for_backward(inputs.vec());  // so that a change of one before backward is noticed
    fused::keep(node, "stream", stream);
    return attended;
  }

  static variable_list backward(AutogradContext* node, variable_list ups) {
    node->get_saved_variables();
    const StreamWork& stream = fused::kept<StreamWork>(node, "stream");
    for (std::size_t b = 0; b < ups.size(); ++b) stream.blocks[b]->start_backward(ups[b]);
    GradientSums sums(stream.context.parameters);
    Tensor dx = zeros_for(stream.context.x), dy = zeros_for(stream.context.y);
    stream.for_each_chunk([&](std::int64_t first, const Tensor& x_part, const Tensor& y_part) {
      const torch::AutoGradMode with_graph(true);
      const Tensor x = x_part.detach().requires_grad_(dx.defined());
      const Tensor y = y_part.detach().requires_grad_(dy.defined());
      const Tensor tokens = stream.context.embed(x, y);
      Tensor up = torch::zeros_like(tokens);
      for (const auto& block : stream.blocks) up += block->backward(tokens.detach());
      variable_list leaves = stream.context.parameters;
      const std::size_t parameters = leaves.size();
      leaves.insert(leaves.end(), {x, y});
      const variable_list gradients = gradients_of({tokens}, leaves, {up});
      for (std::size_t i = 0; i < parameters; ++i) sums.add(i, gradients[i]);
      if (dx.defined()) dx.narrow(1, first, x.size(1)).copy_(gradients[parameters]);
      if (dy.defined()) dy.narrow(1, first, y.size(1)).copy_(gradients[parameters + 1]);
    });
    variable_list result{dx, dy};
    const auto append = [&](const variable_list& more) { result.insert(result.end(), more.begin(), more.end()); };
    append(sums.take());
    for (const auto& block : stream.blocks) append(block->gradients());
    result.emplace_back();  // of the stream itself
    return result;
  }

 private:
  static Tensor zeros_for(const Tensor& points) {
    return points.requires_grad() ? torch::zeros_like(points) : Tensor();
  }
};

}  // namespace

std::vector<Tensor> attend(const ContextStream& context, const Blocks& blocks) {
  const StreamWork stream{context, blocks};
  const variable_list inputs = stream.inputs();
  return StreamNode::apply(at::TensorList(inputs), stream);
}

}  // namespace cmanp::training

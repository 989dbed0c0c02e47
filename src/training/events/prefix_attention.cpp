#include "training/events/prefix_attention.hpp"

#include "training/events/prefix_loops.hpp"

namespace cmanp::training::events {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

PrefixSizes sizes_of(const torch::Tensor& scores, const torch::Tensor& values) {
  return {scores.size(0), scores.size(1), scores.size(2), scores.size(3), values.size(3)};
}

class Node : public Function<Node> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& given_scores,
                               const torch::Tensor& given_values, const torch::Tensor& given_ageing,
                               const torch::Tensor& given_rates) {
    const torch::Tensor scores = given_scores.contiguous(), values = given_values.contiguous();
    const torch::Tensor ageing = given_ageing.to(scores.scalar_type()).contiguous();
    const torch::Tensor rates = given_rates.contiguous();
    const PrefixSizes n = sizes_of(scores, values);
    const torch::Tensor attended = torch::empty({n.tasks, n.tokens, n.heads, n.latents, n.dim}, scores.options());
    const torch::Tensor normaliser = torch::empty({n.tasks, n.tokens, n.heads, n.latents}, scores.options());
    const torch::Tensor shares = torch::empty_like(scores);
    AT_DISPATCH_FLOATING_TYPES(scores.scalar_type(), "prefix_attention", [&] {
      prefix_forward(n, scores.data_ptr<scalar_t>(), values.data_ptr<scalar_t>(), ageing.data_ptr<scalar_t>(),
                     rates.data_ptr<scalar_t>(), attended.data_ptr<scalar_t>(), normaliser.data_ptr<scalar_t>(),
                     shares.data_ptr<scalar_t>());
    });
    context->save_for_backward({values, ageing, rates, attended, shares});
    return {attended, normaliser};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &values = saved[0], &ageing = saved[1], &rates = saved[2], &attended = saved[3];
    const torch::Tensor& shares = saved[4];
    const PrefixSizes n = sizes_of(shares, values);
    const torch::Tensor d_attended = gradients[0].defined() ? gradients[0].contiguous() : torch::zeros_like(attended);
    const torch::Tensor d_normaliser = gradients[1].defined()
                                           ? gradients[1].contiguous()
                                           : torch::zeros({n.tasks, n.tokens, n.heads, n.latents}, attended.options());
    const torch::Tensor d_scores = torch::empty_like(shares), d_values = torch::zeros_like(values);
    const torch::Tensor d_rates = torch::zeros(rates.sizes(), torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "prefix_attention", [&] {
      prefix_backward(n, values.data_ptr<scalar_t>(), ageing.data_ptr<scalar_t>(), rates.data_ptr<scalar_t>(),
                      attended.data_ptr<scalar_t>(), shares.data_ptr<scalar_t>(), d_attended.data_ptr<scalar_t>(),
                      d_normaliser.data_ptr<scalar_t>(), d_scores.data_ptr<scalar_t>(), d_values.data_ptr<scalar_t>(),
                      d_rates.data_ptr<double>());
    });
    return {d_scores, d_values, torch::Tensor(), d_rates.to(rates.scalar_type())};
  }
};

}  // namespace

PrefixAttention prefix_attention(const torch::Tensor& scores, const torch::Tensor& values, const torch::Tensor& ageing,
                                 const torch::Tensor& rates) {
  const torch::Tensor given =
      rates.defined() ? rates : torch::zeros({2, scores.size(1), scores.size(2)}, scores.options());
  const variable_list result = Node::apply(scores, values, ageing, given);
  return {result[0], result[1]};
}

}  // namespace cmanp::training::events

#include "training/modules/streamed_block.hpp"

#include <utility>

namespace cmanp::training {

using torch::Tensor;

PlainStreamedBlock::PlainStreamedBlock(const Tensor& queries, const std::vector<Tensor>& parameters, KeysOfTokens keys)
    : inputs_{queries}, keys_(std::move(keys)), sums_({}) {
  inputs_.insert(inputs_.end(), parameters.begin(), parameters.end());
}

void PlainStreamedBlock::absorb(const Tensor& tokens) { state_ = training::absorb(state_, inputs_[0], keys_(tokens)); }

Tensor PlainStreamedBlock::attended() const { return read(state_, inputs_[0]); }

// attended = weighted / sum, and both are sums over points: every chunk's share has their gradient.
void PlainStreamedBlock::start_backward(const Tensor& up) {
  const Tensor values = state_.weighted / state_.sum;
  const auto type = inputs_[0].scalar_type();
  up_weighted_ = (up / state_.sum).to(type);
  up_sum_ = (-(up * values).sum(-1, /*keepdim=*/true) / state_.sum).to(type);
  sums_ = GradientSums(inputs_);
}

Tensor PlainStreamedBlock::backward(const Tensor& given) {
  const torch::AutoGradMode with_graph(true);
  const Tensor tokens = given.detach().requires_grad_(true), queries = inputs_[0].detach().requires_grad_(true);
  const KeysValues chunk = keys_(tokens);
  const Tensor scores = torch::matmul(queries, chunk.keys.transpose(-2, -1));
  const Tensor weights = (scores - state_.max.to(scores.scalar_type())).exp();
  std::vector<Tensor> leaves{tokens, queries};
  leaves.insert(leaves.end(), inputs_.begin() + 1, inputs_.end());
  const auto gradients = gradients_of({torch::matmul(weights, chunk.values), weights.sum(-1, /*keepdim=*/true)}, leaves,
                                      {up_weighted_, up_sum_});
  for (std::size_t i = 0; i < inputs_.size(); ++i) sums_.add(i, gradients[i + 1]);
  return gradients[0];
}

}  // namespace cmanp::training

#include "training/attention/chunk_gradients.hpp"

namespace cmanp::training {

using torch::Tensor;

std::vector<Tensor> gradients_of(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& up) {
  std::vector<Tensor> wanted;
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  std::vector<Tensor> result(inputs.size());
  if (wanted.empty()) return result;
  const std::vector<Tensor> found = torch::autograd::grad(outputs, wanted, up);
  for (std::size_t i = 0, next = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad()) result[i] = found[next++];
  }
  return result;
}

GradientSums::GradientSums(const std::vector<Tensor>& of) : of_(of) {
  for (const Tensor& tensor : of) sums_.push_back(torch::zeros_like(tensor, torch::kFloat64));
}

void GradientSums::add(std::size_t i, const Tensor& gradient) {
  const torch::NoGradGuard no_grad;
  if (gradient.defined()) sums_[i] += gradient;
}

std::vector<Tensor> GradientSums::take() const {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < sums_.size(); ++i) result.push_back(sums_[i].to(of_[i].scalar_type()));
  return result;
}

}  // namespace cmanp::training

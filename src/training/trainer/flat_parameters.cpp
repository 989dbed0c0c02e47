#include "training/trainer/flat_parameters.hpp"

namespace cmanp::training {

FlatParameters::FlatParameters(torch::nn::Module& model) : parameters_(model.named_parameters()) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> parts;
  for (const auto& parameter : parameters_) parts.push_back(parameter.value().detach().reshape({-1}));
  values_ = torch::cat(parts);
  gradients_ = torch::zeros_like(values_);
  const auto new_values = named(values_), new_gradients = named(gradients_);
  for (auto& parameter : parameters_) {
    parameter.value().set_data(new_values.at(parameter.key()));
    parameter.value().mutable_grad() = new_gradients.at(parameter.key());
  }
}

std::map<std::string, torch::Tensor> FlatParameters::named(const torch::Tensor& flat) const {
  std::map<std::string, torch::Tensor> result;
  std::int64_t at = 0;
  for (const auto& parameter : parameters_) {
    const std::int64_t size = parameter.value().numel();
    result[parameter.key()] = flat.slice(0, at, at + size).view(parameter.value().sizes());
    at += size;
  }
  return result;
}

}  // namespace cmanp::training

// All parameters of a model as one tensor, and their gradients as another. The model's own parameters become views of
// them, so that an optimiser step, a norm, an average or an exchange between machines is a few operations on one tensor
// instead of a few on each of hundreds.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

namespace cmanp::training {

class FlatParameters {
 public:
  explicit FlatParameters(torch::nn::Module& model);

  torch::Tensor values() const { return values_; }        // [count]
  torch::Tensor gradients() const { return gradients_; }  // [count]; what backward() adds to

  // Any tensor like values(), cut into the model's parameters by name: views of it.
  std::map<std::string, torch::Tensor> named(const torch::Tensor& flat) const;

 private:
  torch::OrderedDict<std::string, torch::Tensor> parameters_;
  torch::Tensor values_, gradients_;
};

}  // namespace cmanp::training

// Adam over one flat tensor, with torch::optim::Adam's arithmetic (tested against it).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <utility>

namespace cmanp::training {

struct AdamSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // weight decay: shrinks the weights instead of adding to the gradient
};

class Adam {
 public:
  Adam(const AdamSettings& settings, const torch::Tensor& values);

  // From now on moves only where `share`, like values, is 1 and not 0; moments go on everywhere.
  void restrict_to(torch::Tensor share) { share_ = std::move(share); }

  // Moves `values` by `gradients`. `step` counts from 1.
  void step(torch::Tensor values, torch::Tensor gradients, double rate, std::int64_t step);

  torch::Tensor first_moment, second_moment;  // like values; all there is to save and restore

 private:
  AdamSettings settings_;
  torch::Tensor share_;
};

}  // namespace cmanp::training

// Linear layers with a ReLU between each two: embedders, predictors, projectors.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace cmanp::training {

class Mlp : public torch::nn::Module {
 public:
  // `depth` linear layers, two at least, named "0", "2", …: the odd places are the ReLUs.
  Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out, std::int64_t depth);

  torch::Tensor forward(const torch::Tensor& x);  // [..., in] to [..., out]

 private:
  std::vector<torch::nn::Linear> layers_;
};

}  // namespace cmanp::training

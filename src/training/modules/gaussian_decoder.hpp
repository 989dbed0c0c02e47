// The decoder of the six baselines without a transformer: an encoding and an input to a normal whose deviation is 0.1
// at least.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "training/modules/densities.hpp"

namespace cmanp::training {

class GaussianDecoder : public torch::nn::Module {
 public:
  // `bootstrap_width` above 0 adds a second input, the bootstrap's encoding.
  GaussianDecoder(std::int64_t dim_x, std::int64_t dim_y, std::int64_t encoding_width, std::int64_t hidden,
                  std::int64_t depth, std::int64_t bootstrap_width = 0);

  // encoded [..., n, encoding_width], x [..., n, dim_x]; `bootstrap` [K, ..., n, bootstrap_width] may be undefined.
  Normal forward(const torch::Tensor& encoded, const torch::Tensor& x, const torch::Tensor& bootstrap = {});

 private:
  torch::nn::Linear fc_{nullptr}, fc_ctx_{nullptr};
  std::vector<torch::nn::Linear> layers_;
};

}  // namespace cmanp::training

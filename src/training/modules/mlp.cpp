#include "training/modules/mlp.hpp"

#include <algorithm>
#include <string>

#include "training/modules/linears.hpp"

namespace cmanp::training {

Mlp::Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out, std::int64_t depth) {
  const std::int64_t count = std::max<std::int64_t>(depth, 2);
  for (std::int64_t i = 0; i < count; ++i) {
    const torch::nn::LinearOptions options(i == 0 ? in : hidden, i + 1 == count ? out : hidden);
    layers_.push_back(register_module(std::to_string(2 * i), torch::nn::Linear(options)));
  }
}

torch::Tensor Mlp::forward(const torch::Tensor& x) { return linears(x, layers_); }

}  // namespace cmanp::training

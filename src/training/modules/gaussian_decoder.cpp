#include "training/modules/gaussian_decoder.hpp"

#include <string>

#include "training/modules/linears.hpp"

namespace cmanp::training {

using torch::nn::Linear;
using torch::nn::LinearOptions;

GaussianDecoder::GaussianDecoder(std::int64_t dim_x, std::int64_t dim_y, std::int64_t encoding_width,
                                 std::int64_t hidden, std::int64_t depth, std::int64_t bootstrap_width) {
  fc_ = register_module("fc", Linear(encoding_width + dim_x, hidden));
  const auto mlp = register_module("mlp", std::make_shared<torch::nn::Module>());
  for (std::int64_t i = 0; i < depth - 2; ++i) {
    layers_.push_back(mlp->register_module(std::to_string(2 * i + 1), Linear(hidden, hidden)));
  }
  layers_.push_back(mlp->register_module(std::to_string(2 * layers_.size() + 1), Linear(hidden, 2 * dim_y)));
  if (bootstrap_width > 0) {
    fc_ctx_ = register_module("fc_ctx", Linear(LinearOptions(bootstrap_width, hidden).bias(false)));
  }
}

Normal GaussianDecoder::forward(const torch::Tensor& encoded, const torch::Tensor& x, const torch::Tensor& bootstrap) {
  const torch::Tensor both = torch::cat({encoded, x}, -1);
  const auto answer = [&] {
    if (bootstrap.defined()) {
      return linears(torch::relu(linears(both, {fc_}) + linears(bootstrap, {fc_ctx_})), layers_);
    }
    std::vector<Linear> all{fc_};
    all.insert(all.end(), layers_.begin(), layers_.end());
    return linears(both, all);
  }();
  const auto halves = answer.chunk(2, -1);
  return {halves[0], 0.1 + 0.9 * torch::softplus(halves[1])};
}

}  // namespace cmanp::training

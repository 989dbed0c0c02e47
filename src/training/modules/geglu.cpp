#include "training/modules/geglu.hpp"

namespace cmanp::training {

GegluFeedForward::GegluFeedForward(std::int64_t width, std::int64_t hidden) {
  const auto net = register_module("net", std::make_shared<torch::nn::Module>());
  in_ = net->register_module("0", torch::nn::Linear(width, 2 * hidden));
  out_ = net->register_module("2", torch::nn::Linear(hidden, width));
}

torch::Tensor GegluFeedForward::forward(const torch::Tensor& x) {
  const auto halves = in_(x).chunk(2, -1);
  return out_(halves[0] * torch::gelu(halves[1]));
}

}  // namespace cmanp::training

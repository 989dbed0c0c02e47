#include "training/modules/linears.hpp"

#include "training/fused/linears.hpp"

namespace cmanp::training {

torch::Tensor linears(const torch::Tensor& x, std::vector<torch::nn::Linear> layers) {
  if (!fused::linears_run(x)) {
    torch::Tensor y = layers.front()->forward(x);
    for (std::size_t i = 1; i < layers.size(); ++i) y = layers[i]->forward(torch::relu(y));
    return y;
  }
  std::vector<torch::Tensor> weights, biases;
  for (auto& layer : layers) {
    weights.push_back(layer->weight);
    biases.push_back(layer->bias);
  }
  return fused::linears(x, weights, biases);
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return fused::linears_run(x) ? fused::linears(x, {weight}, {bias}) : torch::linear(x, weight, bias);
}

}  // namespace cmanp::training

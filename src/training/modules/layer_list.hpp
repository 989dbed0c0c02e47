// A stack of equal layers under the names "layers.0", "layers.1", ….
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cmanp::training {

template <class Layer, class... Arguments>
std::vector<std::shared_ptr<Layer>> register_layers(torch::nn::Module& owner, std::int64_t count,
                                                    const Arguments&... arguments) {
  const auto list = owner.register_module("layers", std::make_shared<torch::nn::Module>());
  std::vector<std::shared_ptr<Layer>> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    layers.push_back(list->register_module(std::to_string(i), std::make_shared<Layer>(arguments...)));
  }
  return layers;
}

}  // namespace cmanp::training

#include "training/initialise.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <string>
#include <string_view>

namespace cmanp::training {

// The last part but one of a name tells: norm, norm_context, norm1, ln2, ….
bool is_norm_parameter(std::string_view name) {
  const std::string_view module = name.substr(0, name.rfind('.'));
  const std::string_view last = module.substr(module.rfind('.') + 1);
  return last.starts_with("norm") || last.starts_with("ln");
}

namespace {

// The name of the same parameter in the first layer of its stack; the name itself where it is in none.
std::string first_in_stack(const std::string& name) {
  constexpr std::string_view stack = "layers.";
  const std::size_t at = name.find(stack);
  if (at == std::string::npos) return name;
  const std::size_t number = at + stack.size();
  return name.substr(0, number) + "0" + name.substr(name.find('.', number));
}

}  // namespace

void initialise(torch::nn::Module& model, std::uint64_t seed, bool distinct_layers) {
  const torch::NoGradGuard no_grad;
  const torch::Generator generator = at::detail::createCPUGenerator(seed);
  const auto parameters = model.named_parameters();
  const auto uniform = [&](torch::Tensor& parameter, double bound) {
    parameter.copy_(torch::rand(parameter.sizes(), generator, torch::kFloat64).mul_(2).sub_(1).mul_(bound));
  };
  for (const auto& item : parameters) {
    const std::string& name = item.key();
    torch::Tensor parameter = item.value();
    const std::string first = first_in_stack(name);
    if (!distinct_layers && first != name) {
      parameter.copy_(parameters[first]);
    } else if (name.ends_with("latents")) {
      parameter.copy_(torch::randn(parameter.sizes(), generator, torch::kFloat64));
    } else if (is_norm_parameter(name)) {
      parameter.fill_(name.ends_with("weight") ? 1 : 0);
    } else if (name.ends_with("in_proj_weight")) {  // Xavier over the packed shape
      uniform(parameter, std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1))));
    } else if (name.ends_with("in_proj_bias") || name.ends_with("out_proj.bias")) {
      parameter.zero_();
    } else {
      const torch::Tensor* weight = parameters.find(name.substr(0, name.rfind('.')) + ".weight");
      if (weight == nullptr) continue;  // of no linear layer: relative coordinates have a start of their own
      uniform(parameter, 1 / std::sqrt(static_cast<double>(weight->size(1))));
    }
  }
}

}  // namespace cmanp::training

#include "training/fused/switch.hpp"

#include <algorithm>

#include "kernels/panel.hpp"

namespace cmanp::training::fused {

bool on_panels(const torch::Tensor& x) {
  return x.device().is_cpu() && x.scalar_type() == torch::kFloat && x.numel() > 0 &&
         x.size(-1) % static_cast<std::int64_t>(kernels::kPanel) == 0;
}

bool runs(std::initializer_list<torch::Tensor> inputs) {
  return Off::none() &&
         std::all_of(inputs.begin(), inputs.end(), [](const torch::Tensor& x) { return x.dim() == 3 && on_panels(x); });
}

}  // namespace cmanp::training::fused

// Fresh weights by the published recipe: PyTorch's defaults, latents N(0, 1), packed attention Xavier.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string_view>

namespace cmanp::training {

// The same weights for the same seed, in float64 as in float32. Stacked layers start as copies of their first, as
// published, or each drawn by itself.
void initialise(torch::nn::Module& model, std::uint64_t seed, bool distinct_layers);

// Whether a parameter of this name belongs to a layer norm.
bool is_norm_parameter(std::string_view name);

}  // namespace cmanp::training

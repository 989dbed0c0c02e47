#include "training/fused/adam.hpp"

#include <cmath>

#include "kernels/backward/adam.hpp"
#include "training/fused/switch.hpp"
#include "training/fused/tensors.hpp"

namespace cmanp::training::fused {

bool adam_runs(const torch::Tensor& values, const torch::Tensor& gradients) {
  const auto fits = [](const torch::Tensor& t) {
    return t.device().is_cpu() && t.scalar_type() == torch::kFloat && t.is_contiguous();
  };
  return Off::none() && fits(values) && fits(gradients);
}

void adam(const AdamNumbers& numbers, const torch::Tensor& gradients, const torch::Tensor& share, torch::Tensor values,
          torch::Tensor first_moment, torch::Tensor second_moment) {
  const auto in_float = [](double number) { return static_cast<float>(number); };
  const kernels::AdamStep step{.beta1 = in_float(numbers.beta1),
                               .beta2 = in_float(numbers.beta2),
                               .rest1 = in_float(1 - numbers.beta1),
                               .rest2 = in_float(1 - numbers.beta2),
                               .rate = in_float(numbers.rate),
                               .scale = in_float(1 / std::sqrt(numbers.correction2)),
                               .epsilon = in_float(numbers.epsilon)};
  in_stretches(static_cast<std::size_t>(values.numel()), [&](std::size_t, std::size_t begin, std::size_t end) {
    const auto at = [begin](const torch::Tensor& t) { return t.data_ptr<float>() + begin; };
    kernels::adam(step, end - begin, at(gradients), share.defined() ? at(share) : nullptr, at(values), at(first_moment),
                  at(second_moment));
  });
}

}  // namespace cmanp::training::fused

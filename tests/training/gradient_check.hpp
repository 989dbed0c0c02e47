// Checks the gradients of any scalar against central differences, element by element, in float64.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace cmanp::testing {

struct Variable {
  std::string name;
  torch::Tensor value;  // a leaf that requires a gradient
};

// At most this many elements of each variable, spread over it.
constexpr std::int64_t kElementsChecked = 12;

inline void expect_gradients(const std::function<torch::Tensor()>& scalar, const std::vector<Variable>& variables,
                             double tolerance = 1e-6) {
  for (const Variable& variable : variables) variable.value.mutable_grad() = torch::Tensor();
  scalar().backward();
  const torch::NoGradGuard no_grad;
  for (const Variable& variable : variables) {
    ASSERT_EQ(variable.value.scalar_type(), torch::kFloat64) << variable.name;
    ASSERT_TRUE(variable.value.grad().defined()) << variable.name << " has no gradient";
    const torch::Tensor gradient = variable.value.grad().contiguous();
    double* const values = variable.value.data_ptr<double>();
    const std::int64_t count = variable.value.numel();
    const double scale = std::max(1.0, gradient.abs().max().item<double>());
    const std::int64_t stride = std::max<std::int64_t>(1, count / kElementsChecked);
    for (std::int64_t i = 0; i < count; i += stride) {
      const double kept = values[i];
      const double step = 1e-5 * std::max(1.0, std::abs(kept));
      values[i] = kept + step;
      const double above = scalar().item<double>();
      values[i] = kept - step;
      const double below = scalar().item<double>();
      values[i] = kept;
      const double numeric = (above - below) / (2 * step), analytic = gradient.data_ptr<double>()[i];
      // A difference of large values is only known to their rounding.
      EXPECT_NEAR(analytic, numeric, tolerance * scale + 1e-9 * std::abs(above)) << variable.name << " element " << i;
    }
  }
}

// The parameters of a module, but for those whose names start with `but` (where it is not empty).
inline std::vector<Variable> parameters_of(const torch::nn::Module& module, const std::string& but = "") {
  std::vector<Variable> variables;
  for (const auto& item : module.named_parameters()) {
    if (but.empty() || !item.key().starts_with(but)) variables.push_back({item.key(), item.value()});
  }
  return variables;
}

}  // namespace cmanp::testing

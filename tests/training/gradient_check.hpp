// Checks the gradients of any scalar against central differences, in float64.
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

// About this many elements of each variable by themselves, spread over it; to find which it is that is wrong.
constexpr std::int64_t kElementsChecked = 3;

inline void expect_gradients(const std::function<torch::Tensor()>& scalar, const std::vector<Variable>& variables,
                             double tolerance = 1e-6) {
  for (const Variable& variable : variables) variable.value.mutable_grad() = torch::Tensor();
  scalar().backward();
  const torch::NoGradGuard no_grad;
  for (const Variable& variable : variables) {
    ASSERT_EQ(variable.value.scalar_type(), torch::kFloat64) << variable.name;
    ASSERT_TRUE(variable.value.grad().defined()) << variable.name << " has no gradient";
    const torch::Tensor gradient = variable.value.grad().contiguous();
    const torch::Tensor kept = variable.value.detach().clone();
    const double scale = std::max(1.0, gradient.abs().max().item<double>());
    const auto expect_along = [&](const torch::Tensor& direction, double step, const std::string& what) {
      variable.value.copy_(kept + step * direction);
      const double above = scalar().item<double>();
      variable.value.copy_(kept - step * direction);
      const double below = scalar().item<double>();
      variable.value.copy_(kept);
      const double numeric = (above - below) / (2 * step), analytic = (gradient * direction).sum().item<double>();
      // A difference of large values is only known to their rounding.
      EXPECT_NEAR(analytic, numeric, tolerance * scale + 1e-9 * std::abs(above)) << variable.name << " " << what;
    };
    const std::int64_t count = kept.numel();
    // All elements at once, each up or down, as far together as one by itself: none is left out.
    torch::Tensor all = torch::empty_like(gradient);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool up = (static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U >> 63) != 0;
      all.data_ptr<double>()[i] = (up ? 1 : -1) / std::sqrt(static_cast<double>(count));
    }
    expect_along(all, 1e-5, "all elements");
    if (count == 1) continue;  // that was it
    for (std::int64_t i = 0; i < count; i += std::max<std::int64_t>(1, (count - 1) / (kElementsChecked - 1))) {
      torch::Tensor one = torch::zeros_like(gradient);
      one.data_ptr<double>()[i] = 1;
      expect_along(one, 1e-5 * std::max(1.0, std::abs(kept.contiguous().data_ptr<double>()[i])),
                   "element " + std::to_string(i));
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

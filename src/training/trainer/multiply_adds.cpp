#include "training/trainer/multiply_adds.hpp"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <atomic>
#include <string_view>
#include <utility>

namespace cmanp::training {
namespace {

std::atomic<std::int64_t> counted = 0;

// Which of an operator's inputs are the two factors, or {-1, -1}: those that all other products are made of.
std::pair<int, int> factors(std::string_view name) {
  if (name == "aten::mm" || name == "aten::bmm" || name == "aten::mv") return {0, 1};
  if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmv") return {1, 2};
  return {-1, -1};
}

std::unique_ptr<at::ObserverContext> on_operator(const at::RecordFunction& function) {
  const auto [left, right] = factors(function.name());
  if (left < 0 || function.inputs().size() <= static_cast<std::size_t>(right)) return nullptr;
  const auto& inputs = function.inputs();
  if (!inputs[static_cast<std::size_t>(left)].isTensor() || !inputs[static_cast<std::size_t>(right)].isTensor()) {
    return nullptr;
  }
  const at::Tensor a = inputs[static_cast<std::size_t>(left)].toTensor();   // [.., n, k]
  const at::Tensor b = inputs[static_cast<std::size_t>(right)].toTensor();  // [.., k, m], or [k]
  counted += a.numel() * (b.dim() > 1 ? b.size(-1) : 1);
  return nullptr;
}

}  // namespace

double count_multiply_adds(const std::function<void()>& work) {
  counted = 0;
  const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(on_operator).needsInputs(true));
  try {
    work();
  } catch (...) {
    at::removeCallback(handle);
    throw;
  }
  at::removeCallback(handle);
  return static_cast<double>(counted);
}

}  // namespace cmanp::training

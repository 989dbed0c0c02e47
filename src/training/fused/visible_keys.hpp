// How many keys each query sees, as autograd nodes keep it and as kernels read it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace cmanp::training::fused {

// Of [n] (int64), or of nothing: all keys.
using Visible = std::vector<std::int64_t>;

inline Visible counts_of(const torch::Tensor& visible) {
  if (!visible.defined()) return {};
  const auto* first = visible.data_ptr<std::int64_t>();
  return {first, first + visible.numel()};
}

class VisibleKeys {
 public:
  explicit VisibleKeys(const Visible& visible) : counts_(visible.begin(), visible.end()) {}
  const std::size_t* by_query() const { return counts_.empty() ? nullptr : counts_.data(); }

 private:
  std::vector<std::size_t> counts_;
};

}  // namespace cmanp::training::fused

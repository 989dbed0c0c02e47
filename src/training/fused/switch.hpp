// Where the fused kernels stand in for the plain forms.
#pragma once

#include <torch/torch.h>

#include <initializer_list>

namespace cmanp::training::fused {

// Whether kernels can read it: floats on a CPU, rows on whole panels, one at least.
bool on_panels(const torch::Tensor& x);

// Whether they can run on these inputs: floats on a CPU, rows on whole panels, three dimensions; and are not switched
// off.
bool runs(std::initializer_list<torch::Tensor> inputs);

// As long as one lives, the plain forms run: for comparisons. Not for use by several threads at once.
class Off {
 public:
  Off() { ++count; }
  Off(const Off&) = delete;
  Off& operator=(const Off&) = delete;
  ~Off() { --count; }

  static bool none() { return count == 0; }

 private:
  static inline int count = 0;
};

}  // namespace cmanp::training::fused

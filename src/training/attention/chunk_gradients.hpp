// Gradients that are computed a chunk at a time: each by a graph of its own, then added up.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace cmanp::training {

// Given the outputs' gradients, those of the inputs that ask for one; undefined for the others. Frees the graph.
std::vector<torch::Tensor> gradients_of(const std::vector<torch::Tensor>& outputs,
                                        const std::vector<torch::Tensor>& inputs, const std::vector<torch::Tensor>& up);

// Added up in double: there may be very many chunks.
class GradientSums {
 public:
  explicit GradientSums(const std::vector<torch::Tensor>& of);

  void add(std::size_t i, const torch::Tensor& gradient);  // undefined: nothing
  std::vector<torch::Tensor> take() const;                 // in the type of what they are gradients of

 private:
  std::vector<torch::Tensor> of_, sums_;
};

}  // namespace cmanp::training

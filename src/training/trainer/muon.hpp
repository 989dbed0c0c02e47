// Muon (Jordan et al., 2024): weight matrices move along their momentum with all its singular values made about equal,
// so that directions that gradients seldom show are learnt as fast as the others.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cmanp::training {

// The nearest orthogonal matrices, about (singular values end in [0.7, 1.2]), of [n, rows, columns], by five steps of
// the quintic Newton-Schulz iteration.
torch::Tensor orthogonalised(const torch::Tensor& matrices);

class Muon {
 public:
  // `named`: the parameters by name; those that are inner matrices are Muon's.
  explicit Muon(const std::map<std::string, torch::Tensor>& named);

  // Moves the inner matrices among `values` along `momentum` (Adam's first moment), which `gradients` goes into once
  // more, as Nesterov's does. The three are cut by name. A step is as large as Adam's at the same rate tends to be.
  void step(const std::map<std::string, torch::Tensor>& values, const std::map<std::string, torch::Tensor>& gradients,
            const std::map<std::string, torch::Tensor>& momentum, double rate) const;

  bool moves(const std::string& name) const;

 private:
  struct Group {                        // of one shape, to be orthogonalised together
    std::int64_t rows, columns, parts;  // a packed parameter (keys and values) is that many matrices
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
};

}  // namespace cmanp::training

#include "training/trainer/muon.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::training {
namespace {

// How many matrices one above the other a parameter is; 0 where it is not an inner matrix: the first and last maps of
// a model, embeddings and latents are better off with Adam.
std::int64_t stacked(const std::string& name, const torch::Tensor& parameter) {
  if (parameter.dim() != 2 || name.find("layers.") == std::string::npos || !name.ends_with("weight")) return 0;
  if (name.ends_with("in_proj_weight")) return 3;
  if (name.ends_with("to_kv.weight") || name.ends_with("net.0.weight")) return 2;
  return 1;
}

}  // namespace

torch::Tensor orthogonalised(const torch::Tensor& matrices) {
  const bool tall = matrices.size(1) > matrices.size(2);
  torch::Tensor x = tall ? matrices.transpose(1, 2) : matrices;
  x = x / (x.norm(2, {1, 2}, true) + 1e-12);
  for (int i = 0; i < 5; ++i) {
    const torch::Tensor square = torch::bmm(x, x.transpose(1, 2));
    const torch::Tensor factor = torch::baddbmm(square, square, square, -4.7750, 2.0315);
    x = torch::baddbmm(x, factor, x, 3.4445);
  }
  return tall ? x.transpose(1, 2) : x;
}

Muon::Muon(const std::map<std::string, torch::Tensor>& named) {
  for (const auto& [name, parameter] : named) {
    const std::int64_t parts = stacked(name, parameter);
    if (parts == 0) continue;
    const std::int64_t rows = parameter.size(0) / parts, columns = parameter.size(1);
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return group.rows == rows && group.columns == columns && group.parts == parts;
    });
    if (same == groups_.end()) {
      groups_.push_back({rows, columns, parts, {name}});
    } else {
      same->names.push_back(name);
    }
  }
}

bool Muon::moves(const std::string& name) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    return std::find(group.names.begin(), group.names.end(), name) != group.names.end();
  });
}

void Muon::step(const std::map<std::string, torch::Tensor>& values,
                const std::map<std::string, torch::Tensor>& gradients,
                const std::map<std::string, torch::Tensor>& momentum, double rate) const {
  const torch::NoGradGuard no_grad;
  for (const Group& group : groups_) {
    std::vector<torch::Tensor> ahead;
    for (const std::string& name : group.names) {
      ahead.push_back(
          torch::lerp(momentum.at(name), gradients.at(name), 0.1).view({group.parts, group.rows, group.columns}));
    }
    const torch::Tensor steps = orthogonalised(torch::cat(ahead));
    // Orthogonal entries are about 1/sqrt(longer side) large; Adam's steps about 0.2 of its rate.
    const double scale = 0.2 * std::sqrt(static_cast<double>(std::max(group.rows, group.columns)));
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      const torch::Tensor part = steps.narrow(0, static_cast<std::int64_t>(i) * group.parts, group.parts);
      values.at(group.names[i]).sub_(part.reshape({group.parts * group.rows, group.columns}), rate * scale);
    }
  }
}

}  // namespace cmanp::training

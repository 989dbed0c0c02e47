#include "training/inducing_start.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "training/initialise.hpp"

namespace cmanp::training {
namespace {

// Points that fill a box evenly: a grid in one dimension, the additive recurrence of the generalised golden ratio
// (Roberts' R sequence) in several.
torch::Tensor spread_points(std::int64_t count, std::int64_t dimensions, double low, double high) {
  if (dimensions == 1) return torch::linspace(low, high, count, torch::kFloat64).unsqueeze(-1);
  double ratio = 2;  // the root of r^(d+1) = r + 1
  for (int i = 0; i < 64; ++i) ratio = std::pow(1 + ratio, 1 / static_cast<double>(dimensions + 1));
  const torch::Tensor steps = torch::arange(1, dimensions + 1, torch::kFloat64).neg().mul(std::log(ratio)).exp();
  const torch::Tensor places = (0.5 + torch::arange(count, torch::kFloat64).unsqueeze(-1) * steps).frac();
  return low + (high - low) * places;
}

class Starter {
 public:
  Starter(NeuralProcess& model, std::uint64_t seed, const InducingStart& start)
      : model_(model),
        start_(start),
        parameters_(model.named_parameters()),
        generator_(at::detail::createCPUGenerator(seed)) {}

  void operator()() {
    for (const auto& item : parameters_) draw(item.key(), item.value());
    for (const auto& item : parameters_) {
      if (item.key().ends_with("to_q.weight")) align(item.key(), item.value());
    }
    for (const auto& item : parameters_) {
      if (item.key().starts_with("query_embedder.")) copy_embedder(item.key(), item.value());
    }
    for (const auto& item : parameters_) {
      if (item.key().ends_with("latents")) place(item.value());
    }
  }

 private:
  torch::Tensor normal(torch::IntArrayRef shape) { return torch::randn(shape, generator_, torch::kFloat64); }

  void draw(const std::string& name, torch::Tensor parameter) {
    if (is_norm_parameter(name)) {
      parameter.fill_(name.ends_with("weight") ? 1 : 0);
    } else if (name.ends_with("latents")) {
      parameter.copy_(normal(parameter.sizes()).mul_(0.1));  // stays where latents are not as wide as tokens
    } else if (parameter.dim() == 1) {
      parameter.zero_();
    } else {
      parameter.copy_(normal(parameter.sizes()).mul_(start_.gain / std::sqrt(static_cast<double>(parameter.size(1)))));
    }
  }

  // Keys as queries: what is alike attends to each other.
  void align(const std::string& name, torch::Tensor queries) {
    torch::Tensor keys_values =
        parameters_[name.substr(0, name.size() - std::string("to_q.weight").size()) + "to_kv.weight"];
    if (queries.size(1) != keys_values.size(1)) return;
    const std::int64_t size = std::max(queries.size(0), queries.size(1));
    const torch::Tensor orthogonal = std::get<0>(torch::linalg_qr(normal({size, size}), "reduced"));
    queries.copy_(start_.sharpness * orthogonal.narrow(0, 0, queries.size(0)).narrow(1, 0, queries.size(1)));
    keys_values.narrow(0, 0, queries.size(0)).copy_(queries);
  }

  // Targets are embedded as observations are, without the y.
  void copy_embedder(const std::string& name, torch::Tensor parameter) {
    const torch::Tensor& from = parameters_[name.substr(std::string("query_").size())];
    parameter.copy_(parameter.dim() == 2 ? from.narrow(1, 0, parameter.size(1)) : from);
  }

  torch::Tensor places(std::int64_t count) const {
    if (!start_.places.defined()) return spread_points(count, model_.config().dim_x, start_.low, start_.high);
    return start_.places.index_select(0, torch::arange(count).remainder(start_.places.size(0)));
  }

  void place(torch::Tensor latents) {
    const ModelConfig& config = model_.config();
    if (latents.size(1) != config.d_model) return;
    const torch::Tensor x = places(latents.size(0)).to(latents.dtype());
    const torch::Tensor tokens =
        model_.embed(x.unsqueeze(0), torch::zeros({1, latents.size(0), config.dim_y}, latents.options())).squeeze(0);
    latents.copy_((tokens - tokens.mean(-1, true)) / tokens.std(-1, false, true).clamp_min(1e-6));
  }

  NeuralProcess& model_;
  const InducingStart& start_;
  const torch::OrderedDict<std::string, torch::Tensor> parameters_;
  const torch::Generator generator_;
};

}  // namespace

void start_as_inducing_points(NeuralProcess& model, std::uint64_t seed, const InducingStart& start) {
  const torch::NoGradGuard no_grad;
  Starter(model, seed, start)();
}

}  // namespace cmanp::training

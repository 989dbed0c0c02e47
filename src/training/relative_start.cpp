#include "training/relative_start.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <numbers>
#include <string>

#include "runtime/head_bands.hpp"
#include "training/initialise.hpp"

namespace cmanp::training {
namespace {

constexpr double kQueryGain = 0.3, kGain = 0.7, kHiddenGain = 1.4;

runtime::HeadBand band_of(std::int64_t head, std::int64_t heads, double spacing) {
  return runtime::head_band(static_cast<std::size_t>(head), static_cast<std::size_t>(heads), spacing);
}

class RelativeStarter {
 public:
  RelativeStarter(NeuralProcess& model, std::uint64_t seed)
      : model_(model), spacing_(model.config().spacing), generator_(at::detail::createCPUGenerator(seed)) {}

  void operator()() {
    for (const auto& item : model_.named_parameters()) draw(item.key(), item.value());
  }

 private:
  torch::Tensor normal(torch::IntArrayRef shape) { return torch::randn(shape, generator_, torch::kFloat64); }

  // Orthogonal rows or columns, whichever are fewer.
  torch::Tensor orthogonal(std::int64_t rows, std::int64_t columns) {
    const bool wide = rows < columns;
    const auto [q, r] = torch::linalg_qr(normal({std::max(rows, columns), std::min(rows, columns)}), "reduced");
    const torch::Tensor unique = q * r.diagonal().sign();
    return wide ? unique.t() : unique;
  }

  void draw(const std::string& name, torch::Tensor parameter) {
    const auto is = [&](const char* end) { return name.ends_with(end); };
    if (is_norm_parameter(name)) return void(parameter.fill_(is("weight") ? 1 : 0));
    if (is("latents")) return void(parameter.copy_(normal(parameter.sizes())));
    if (is("log_gamma")) return set_lengths(parameter);
    if (is("log_omega")) return set_frequencies(parameter);
    if (is("direction")) return set_directions(parameter);
    if (is("null_score")) return void(parameter.fill_(runtime::kStartNullScore));
    if (is("null_value")) return void(parameter.copy_(normal(parameter.sizes()).mul_(runtime::kStartNullValue)));
    // Heads of the joint model stay as published.
    for (const char* part : {"mean_net.", "projector.", "diag_net."}) {
      if (name.starts_with(part)) return;
    }
    if (parameter.dim() == 1) return void(parameter.zero_());
    const std::int64_t rows = parameter.size(0), columns = parameter.size(1);
    if (is("to_kv.weight")) {  // keys, then values
      parameter.narrow(0, 0, rows / 2).copy_(kQueryGain * orthogonal(rows / 2, columns));
      parameter.narrow(0, rows / 2, rows / 2).copy_(kGain * orthogonal(rows / 2, columns));
    } else {
      parameter.copy_(gain(name) * orthogonal(rows, columns));
    }
  }

  double gain(const std::string& name) const {
    if (name.ends_with("to_q.weight")) return kQueryGain;
    for (const auto& [mlp, depth] : {std::pair{"embedder.", model_.config().emb_depth},
                                     {"query_embedder.", model_.config().emb_depth},
                                     {"predictor.", std::int64_t{2}}}) {
      if (!name.starts_with(mlp)) continue;
      const bool last = name == mlp + std::to_string(2 * std::max<std::int64_t>(depth, 2) - 2) + ".weight";
      return last ? 1 : kHiddenGain;
    }
    return kGain;
  }

  void set_lengths(torch::Tensor log_gamma) const {
    for (std::int64_t h = 0; h < log_gamma.size(0); ++h) {
      log_gamma[h] = -2 * band_of(h, log_gamma.size(0), spacing_).length - std::numbers::ln2;
    }
  }

  void set_frequencies(torch::Tensor log_omega) const {
    for (std::int64_t h = 0; h < log_omega.size(0); ++h) {
      const runtime::HeadBand band = band_of(h, log_omega.size(0), spacing_);
      log_omega[h] = torch::linspace(band.slowest, band.fastest, log_omega.size(1));
    }
  }

  // Of several x: each frequency along a direction of its own.
  void set_directions(torch::Tensor direction) {
    const torch::Tensor drawn = normal(direction.sizes());
    direction.copy_(drawn / drawn.norm(2, -1, true));
  }

  NeuralProcess& model_;
  double spacing_;
  const torch::Generator generator_;
};

}  // namespace

void start_relative(NeuralProcess& model, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  RelativeStarter(model, seed)();
}

void set_scales(NeuralProcess& model, double shortest, double longest, const std::vector<double>& frequencies) {
  const torch::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    torch::Tensor parameter = item.value();
    const std::int64_t heads = parameter.size(0);
    if (item.key().ends_with("log_gamma")) {
      const torch::Tensor log_lengths = torch::linspace(std::log(shortest), std::log(longest), heads);
      parameter.copy_(-2 * log_lengths - std::numbers::ln2);
    } else if (item.key().ends_with("log_omega")) {
      const torch::Tensor turns = torch::tensor(frequencies, torch::kFloat64);
      parameter.copy_((2 * std::numbers::pi * turns).log().unsqueeze(0).expand_as(parameter));
    }
  }
}

}  // namespace cmanp::training

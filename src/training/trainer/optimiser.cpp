#include "training/trainer/optimiser.hpp"

#include <algorithm>

namespace cmanp::training {

AveragedWeights::AveragedWeights(const torch::Tensor& values, const torch::Tensor& averaged) {
  if (!averaged.defined()) return;
  values_ = values;
  kept_ = values.clone();
  values_.copy_(averaged);
}

AveragedWeights::~AveragedWeights() {
  if (kept_.defined()) values_.copy_(kept_);
}

Optimiser::Optimiser(torch::nn::Module& model, const OptimiserSettings& settings)
    : settings_(settings), parameters_(model), adam_(settings.adam, parameters_.values()) {
  if (settings.muon) {
    muon_.emplace(parameters_.named(parameters_.values()));
    torch::Tensor of_adam = torch::ones_like(parameters_.values());
    for (auto& [name, part] : parameters_.named(of_adam)) {
      if (muon_->moves(name)) part.zero_();
    }
    adam_.restrict_to(of_adam);
  }
  if (settings.ema > 0) averaged_ = parameters_.values().clone();
}

void Optimiser::step(double gradient_norm, double rate, std::int64_t step) {
  torch::Tensor gradients = parameters_.gradients(), values = parameters_.values();
  if (settings_.clip > 0 && gradient_norm > settings_.clip) gradients.mul_(settings_.clip / gradient_norm);
  adam_.step(values, gradients, rate, step + 1);
  if (muon_) {
    muon_->step(parameters_.named(values), parameters_.named(gradients), parameters_.named(adam_.first_moment), rate);
  }
  if (averaged_.defined()) {
    // Young averages forget faster, or the initial weights would stay in them for long.
    const double decay = std::min(settings_.ema, static_cast<double>(1 + step) / static_cast<double>(10 + step));
    averaged_.lerp_(values, 1 - decay);
  }
}

void Optimiser::restart_average() {
  if (averaged_.defined()) averaged_.copy_(parameters_.values());
}

void Optimiser::save_to(Checkpoint& checkpoint) const {
  checkpoint.weights = parameters_.named(parameters_.values());
  checkpoint.first_moment = parameters_.named(adam_.first_moment);
  checkpoint.second_moment = parameters_.named(adam_.second_moment);
  if (averaged_.defined()) checkpoint.averaged = parameters_.named(averaged_);
}

void Optimiser::restore(const Checkpoint& checkpoint, const std::string& where) {
  copy_tensors(where, checkpoint.weights, parameters_.named(parameters_.values()));
  copy_tensors(where, checkpoint.first_moment, parameters_.named(adam_.first_moment));
  copy_tensors(where, checkpoint.second_moment, parameters_.named(adam_.second_moment));
  if (averaged_.defined()) copy_tensors(where, checkpoint.averaged, parameters_.named(averaged_));
}

std::vector<torch::Tensor> Optimiser::tensors() const {
  std::vector<torch::Tensor> all{parameters_.values(), adam_.first_moment, adam_.second_moment};
  if (averaged_.defined()) all.push_back(averaged_);
  return all;
}

}  // namespace cmanp::training

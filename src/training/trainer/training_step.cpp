#include "training/trainer/training_step.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "training/distributed/share.hpp"
#include "training/tasks/random.hpp"
#include "training/trainer/fresh_model.hpp"

namespace cmanp::training {

bool StepResult::finite() const { return std::isfinite(loss) && std::isfinite(gradient_norm); }

TrainingStep::TrainingStep(const Settings& settings, Group group)
    : settings_(settings),
      group_(std::move(group)),
      model_(fresh_model(settings)),
      parameters_(*model_),
      adam_({.weight_decay = settings.weight_decay, .decoupled = settings.decoupled_decay}, parameters_.values()),
      schedule_{settings.schedule, settings.lr, settings.warmup, settings.steps} {
  model_->settings().context_chunk = settings.context_chunk;
  if (settings.optimiser == "muon") {
    const auto named = parameters_.named(parameters_.values());
    muon_.emplace(named);
    torch::Tensor of_adam = torch::ones_like(parameters_.values());
    for (auto& [name, part] : parameters_.named(of_adam)) {
      if (muon_->moves(name)) part.zero_();
    }
    adam_.restrict_to(of_adam);
  }
  if (settings.ema > 0) averaged_ = parameters_.values().clone();
}

double TrainingStep::differentiate(const Batch& batch, std::int64_t step) {
  const Share share = share_of(batch.xc.size(0), group_.rank(), group_.size());
  model_->train();
  model_->use(share.random(at::detail::createCPUGenerator(
      mix_seed(static_cast<std::uint64_t>(settings_.seed), Stream::model, static_cast<std::uint64_t>(step)))));
  parameters_.gradients().zero_();
  const torch::Tensor loss = model_->loss(share.of(batch));
  const torch::Tensor weight = torch::full_like(loss, share.weight());
  loss.backward(weight);
  const torch::Tensor part = loss.detach() * weight;
  group_.add_up({parameters_.gradients(), part});
  return part.item<double>();
}

StepResult TrainingStep::operator()(const Batch& batch, std::int64_t step) {
  torch::Tensor gradients = parameters_.gradients(), values = parameters_.values();
  const double loss = differentiate(batch, step);
  const StepResult result{loss, gradients.norm().item<double>()};
  if (!result.finite()) return result;
  if (settings_.clip > 0 && result.gradient_norm > settings_.clip) {
    gradients.mul_(settings_.clip / result.gradient_norm);
  }
  adam_.step(values, gradients, rate(step), step + 1);
  if (muon_) {
    muon_->step(parameters_.named(values), parameters_.named(gradients), parameters_.named(adam_.first_moment),
                rate(step));
  }
  if (averaged_.defined()) {
    // Young averages forget faster, or the initial weights would stay in them for long.
    const double decay = std::min(settings_.ema, static_cast<double>(1 + step) / static_cast<double>(10 + step));
    averaged_.lerp_(values, 1 - decay);
  }
  return result;
}

}  // namespace cmanp::training

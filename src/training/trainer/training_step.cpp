#include "training/trainer/training_step.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

#include "training/tasks/random.hpp"
#include "training/trainer/fresh_model.hpp"

namespace cmanp::training {

bool StepResult::finite() const { return std::isfinite(loss) && std::isfinite(gradient_norm); }

TrainingStep::TrainingStep(const Settings& settings)
    : settings_(settings),
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

StepResult TrainingStep::operator()(const Batch& batch, std::int64_t step) {
  model_->train();
  model_->use(at::detail::createCPUGenerator(
      mix_seed(static_cast<std::uint64_t>(settings_.seed), Stream::model, static_cast<std::uint64_t>(step))));
  torch::Tensor gradients = parameters_.gradients(), values = parameters_.values();
  gradients.zero_();
  const torch::Tensor loss = model_->loss(batch);
  loss.backward();
  const StepResult result{loss.item<double>(), gradients.norm().item<double>()};
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

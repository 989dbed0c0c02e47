#include "training/trainer/training_step.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <utility>

#include "training/distributed/share.hpp"
#include "training/tasks/random.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/memory.hpp"

namespace cmanp::training {
namespace {

OptimiserSettings optimiser_settings(const Settings& settings) {
  return {.muon = settings.optimiser == "muon",
          .adam = {.weight_decay = settings.weight_decay, .decoupled = settings.decoupled_decay},
          .clip = settings.clip,
          .ema = settings.ema};
}

}  // namespace

TrainingStep::TrainingStep(const Settings& settings, Group group)
    : settings_(settings),
      group_(std::move(group)),
      model_(fresh_model(settings)),
      optimiser_(*model_, optimiser_settings(settings)),
      schedule_{settings.schedule, settings.lr, settings.warmup, settings.steps} {
  model_->settings().context_chunk = settings.context_chunk;
  keep_freed_memory();
}

double TrainingStep::differentiate(const Batch& batch, std::int64_t step) {
  const Share share = share_of(batch.xc.size(0), group_.rank(), group_.size());
  model_->train();
  model_->use(share.random(at::detail::createCPUGenerator(
      mix_seed(static_cast<std::uint64_t>(settings_.seed), Stream::model, static_cast<std::uint64_t>(step)))));
  torch::Tensor gradients = optimiser_.parameters().gradients();
  gradients.zero_();
  const Batch own = share.of(batch);
  const torch::Tensor loss = model_->loss(settings_.context_targets ? with_context_as_targets(own) : own);
  const torch::Tensor weight = torch::full_like(loss, share.weight());
  loss.backward(weight);
  const torch::Tensor part = loss.detach() * weight;
  group_.add_up({gradients, part});
  return part.item<double>();
}

StepResult TrainingStep::operator()(const Batch& batch, std::int64_t step) {
  const double loss = differentiate(batch, step);
  const StepResult result{loss, optimiser_.parameters().gradients().norm().item<double>()};
  if (result.finite()) optimiser_.step(result.gradient_norm, rate(step), step);
  return result;
}

}  // namespace cmanp::training

#include "training/events/event_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "runs/plan_of.hpp"
#include "training/events/evaluate.hpp"
#include "training/tasks/random.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::training::events {
namespace {

namespace fs = std::filesystem;

// So many of `count` places, in order; all where the share is 1.
torch::Tensor pick_share(std::int64_t count, double share, std::uint64_t seed, std::int64_t step) {
  if (share >= 1 || count == 0) return torch::arange(count);
  Random random(seed, Stream::model, static_cast<std::uint64_t>(step));
  std::vector<std::int64_t> picked;
  for (std::int64_t i = 0; i < count; ++i) {
    if (random.uniform() < share) picked.push_back(i);
  }
  if (picked.empty()) picked.push_back(random.integer(0, count));
  return torch::tensor(picked);
}

std::shared_ptr<EventNetwork> fresh_network(const EventSettings& settings, const EventParts& parts) {
  NetworkShape shape = settings.shape;
  shape.marks = static_cast<std::int64_t>(parts.mark_names.size());
  return make_network(settings.model, shape, static_cast<std::uint64_t>(settings.seed));
}

OptimiserSettings optimiser_settings(const EventSettings& settings) {
  return {.muon = settings.optimiser == "muon",
          .adam = {.weight_decay = settings.weight_decay, .decoupled = true},
          .clip = settings.clip,
          .ema = settings.ema};
}

// The sequences of one step after the other.
class Epochs {
 public:
  Epochs(std::shared_ptr<const EventParts> parts, std::int64_t tokens, std::uint64_t seed)
      : parts_(std::move(parts)), tokens_(tokens), seed_(seed) {}

  // Epochs differ in their number of batches: a resumed run counts through those that are done.
  const std::vector<const Sequence*>& at(std::uint64_t step) {
    while (step - begin_ >= plan_.size()) {
      begin_ += plan_.size();
      plan_ = plan_epoch(parts_->train, tokens_, seed_, next_epoch_++);
    }
    return plan_[step - begin_];
  }

 private:
  std::shared_ptr<const EventParts> parts_;
  std::int64_t tokens_;
  std::uint64_t seed_;
  std::vector<std::vector<const Sequence*>> plan_;
  std::uint64_t begin_ = 0, next_epoch_ = 0;
};

}  // namespace

EventProblem::EventProblem(const EventSettings& settings, std::shared_ptr<const EventParts> parts)
    : settings_(settings),
      parts_(std::move(parts)),
      domain_(fit_domain(*parts_, settings)),
      network_(fresh_network(settings, *parts_)),
      optimiser_(*network_, optimiser_settings(settings)),
      schedule_{settings.schedule, settings.lr, settings.warmup, settings.steps, /*under_warmup=*/true} {}

std::string EventProblem::title() const { return fmt::format("{} on events", settings_.model); }

runs::Plan EventProblem::plan() const { return runs::plan_of(settings_); }

void EventProblem::check_resumable(const nlohmann::ordered_json& before, const std::string& run) const {
  check_event_run_resumable(before, to_json(settings_), run);
}

void EventProblem::begin() { use_threads_of_libtorch(use_threads(settings_.threads)); }

std::function<EventBatch(std::uint64_t)> EventProblem::batch_maker() const {
  return [epochs = Epochs(parts_, settings_.batch_events, static_cast<std::uint64_t>(settings_.seed)), domain = domain_,
          window = settings_.window(), recent_marks = settings_.shape.recent_marks](std::uint64_t step) mutable {
    return make_batch(epochs.at(step), domain, window, recent_marks);
  };
}

std::optional<runs::StepResult> EventProblem::take_step(std::int64_t step) {
  if (!batches_) batches_.emplace(batch_maker(), static_cast<std::uint64_t>(step), 8);
  const EventBatch batch = batches_->next();
  const auto seed = static_cast<std::uint64_t>(settings_.seed);
  network_->train();
  torch::manual_seed(mix_seed(seed, Stream::model, static_cast<std::uint64_t>(step)));  // dropout's
  torch::Tensor gradients = optimiser_.parameters().gradients();
  gradients.zero_();
  const torch::Tensor loss =
      event_loss(*network_, batch, pick_share(batch.rows.numel(), settings_.prefix_share, seed, step));
  if (!loss.defined()) return {};
  loss.backward();
  const runs::StepResult result{loss.item<double>(), gradients.norm().item<double>()};
  if (result.finite()) optimiser_.step(result.gradient_norm, rate(step), step);
  return result;
}

std::optional<runs::Evaluation> EventProblem::evaluate(const std::function<bool()>& should_stop) {
  const AveragedWeights averaged = optimiser_.use_averaged();
  const std::optional<double> nll =
      evaluate_nll(*network_, parts_->validation, domain_, settings_.window(), should_stop);
  if (!nll) return {};
  return runs::Evaluation{-*nll};
}

void EventProblem::keep_best(const fs::path& run, const runs::RunState& state, double log_likelihood) {
  const AveragedWeights averaged = optimiser_.use_averaged();
  save_best(run, {network_, parse_event_settings(state.settings, ""), domain_, state.step, -log_likelihood});
}

void EventProblem::save(const fs::path& checkpoints, const runs::RunState& state) const {
  Checkpoint checkpoint{state, {}, {}, {}, {}};
  optimiser_.save_to(checkpoint);
  save_checkpoint(checkpoints, checkpoint);
}

void EventProblem::restore(const fs::path& checkpoint) {
  optimiser_.restore(load_checkpoint(checkpoint), checkpoint.string());
}

}  // namespace cmanp::training::events

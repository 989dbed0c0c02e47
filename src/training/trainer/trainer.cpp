#include "training/trainer/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "runs/learning_curve.hpp"
#include "training/tasks/prefetcher.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::training {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Progress Trainer::run(const TrainerEvents& events) {
  use_threads(settings_.threads, group_.on_this_machine());
  try {
    train(events);
    group_.part();
  } catch (const GroupError& error) {
    if (!group_.first()) throw;
    if (saved_step_ != progress_.step) save();  // no step is half done
    throw Error(fmt::format("{}; the run is saved at step {}", error.what(), progress_.step));
  }
  if (!group_.first()) return progress_;
  if (saved_step_ != progress_.step) save();
  runs::draw_run(folder_, fmt::format("{} on {}", settings_.model, task_->name()), progress_.step, events.note);
  return progress_;
}

void Trainer::train(const TrainerEvents& events) {
  saved_at_ = reported_at_ = Clock::now();
  reported_step_ = progress_.step;
  const auto due = [this](std::int64_t every) { return every > 0 && progress_.step % every == 0; };
  if (progress_.evaluation_due) evaluate_now(events);
  Prefetcher batches(task_, static_cast<std::uint64_t>(settings_.seed), static_cast<std::uint64_t>(progress_.step));
  while (progress_.step < settings_.steps && !group_.any(events.should_stop())) {
    train_step(batches.next());
    if (!group_.first()) continue;
    const bool last = progress_.step == settings_.steps;
    if (due(settings_.log_every) || last) report();
    if (evaluates_here()) evaluate_now(events);
    if (due(settings_.save_every) || seconds_since(saved_at_) > 60 * settings_.save_minutes) save();
    events.stepped(progress_);
  }
}

bool Trainer::evaluates_here() const {
  const std::int64_t step = progress_.step, every = settings_.eval_every;
  return every > 0 && step > 0 && (step % every == 0 || step == settings_.steps);
}

void Trainer::train_step(const Batch& batch) {
  const StepResult result = step_(batch, progress_.step);
  if (!result.finite()) fail_diverged(result);
  gradient_norm_ = result.gradient_norm;
  loss_sum_ += result.loss;
  progress_.loss = loss_sum_ / static_cast<double>(++loss_count_);
  ++progress_.step;
}

void Trainer::fail_diverged(const StepResult& result) const {
  const auto checkpoint = runs::latest_checkpoint(runs::checkpoint_folder(folder_));
  const char* none = group_.first() ? "none" : "rank 0's";
  throw Error(fmt::format(
      "the {} is no longer a number at step {} (learning rate {:.3g}); the last good checkpoint is {}; try a lower lr, "
      "a longer warmup or a clip such as 1",
      std::isfinite(result.loss) ? "gradient" : "loss", progress_.step + 1, step_.rate(progress_.step),
      checkpoint ? checkpoint->string() : none));
}

void Trainer::report() {
  const auto steps = static_cast<double>(progress_.step - reported_step_);
  metrics_->append({{"step", progress_.step},
                    {"loss", progress_.loss},
                    {"lr", step_.rate(progress_.step - 1)},
                    {"gradient_norm", gradient_norm_},
                    {"steps_per_second", steps / std::max(1e-9, seconds_since(reported_at_))}});
  reported_step_ = progress_.step;
  reported_at_ = Clock::now();
  loss_sum_ = 0;
  loss_count_ = 0;
}

// What is told to stop leaves no trace but that it is still due.
void Trainer::evaluate_now(const TrainerEvents& events) {
  struct Stopped {};
  const auto go_on = [&](std::size_t) {
    if (events.should_stop()) throw Stopped{};
    return true;
  };
  Evaluation evaluation;
  progress_.evaluation_due = true;
  try {
    if (!evaluation_set_) {
      EvaluationSetOptions options;
      options.batches = static_cast<std::size_t>(settings_.eval_batches);
      options.cache = events.evaluation_cache;
      options.progress = go_on;
      evaluation_set_ = cached_evaluation_set(*task_, options);
    }
    const AveragedWeights averaged = step_.optimiser().use_averaged();
    evaluation = evaluate(step_.model(), *evaluation_set_, go_on);
  } catch (const Stopped&) {
    return;
  }
  progress_.evaluation_due = false;
  progress_.log_likelihood = evaluation.log_likelihood;
  metrics_->append({{"step", progress_.step},
                    {"log_likelihood", evaluation.log_likelihood},
                    {"standard_error", evaluation.standard_error}});
  reported_at_ = Clock::now();  // the time of evaluations is not that of steps
  reported_step_ = progress_.step;
}

}  // namespace cmanp::training

#include "runs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "runs/learning_curve.hpp"

namespace cmanp::runs {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Progress Run::go(const Calls& calls) {
  const Companions& all = problem_.companions();
  stopping_ = false;
  problem_.begin();
  try {
    train(calls);
    all.part();
  } catch (const LostCompanion& error) {
    if (!all.first()) throw;
    if (saved_step_ != progress_.step) save();  // no step is half done
    throw Error(fmt::format("{}; the run is saved at step {}", error.what(), progress_.step));
  }
  if (!all.first()) return progress_;
  if (saved_step_ != progress_.step) save();
  draw_run(folder_, problem_.title(), progress_.step, calls.note);
  return progress_;
}

void Run::train(const Calls& calls) {
  const Companions& all = problem_.companions();
  saved_at_ = reported_at_ = Clock::now();
  reported_step_ = progress_.step;
  const auto due = [this](std::int64_t every) { return every > 0 && progress_.step % every == 0; };
  if (progress_.evaluation_due) evaluate(calls);
  while (progress_.step < plan_.steps && !all.any(told_to_stop(calls) || out_of_patience())) {
    take_step();
    if (!all.first()) continue;
    if (due(plan_.log_every) || progress_.step == plan_.steps) report();
    if (evaluates_here()) evaluate(calls);
    if (due(plan_.save_every) || seconds_since(saved_at_) > 60 * plan_.save_minutes) save();
    calls.stepped(progress_);
  }
  // The others do not know why the first left before the end.
  if (progress_.step < plan_.steps) gave_up_ = all.take_from_first(out_of_patience() ? "gave up" : "") == "gave up";
}

bool Run::told_to_stop(const Calls& calls) {
  stopping_ = stopping_ || calls.should_stop();
  return stopping_;
}

bool Run::evaluates_here() const {
  const std::int64_t step = progress_.step, every = plan_.eval_every, first = plan_.eval_first;
  if (every <= 0 && first <= 0) return false;
  if (step == 0) return plan_.eval_start;
  return step == plan_.steps || (first > 0 ? is_evaluation_step(step, first) : step % every == 0);
}

void Run::take_step() {
  const std::optional<StepResult> result = problem_.take_step(progress_.step);
  if (result && !result->finite()) fail_diverged(*result);
  gradient_norm_ = result ? result->gradient_norm : 0;
  if (result) progress_.add_loss(result->loss);
  ++progress_.step;
}

void Run::fail_diverged(const StepResult& result) const {
  const auto checkpoint = latest_checkpoint(checkpoint_folder(folder_));
  const char* none = problem_.companions().first() ? "none" : "rank 0's";
  throw Error(fmt::format(
      "the {} is no longer a number at step {} (learning rate {:.3g}); the last good checkpoint is {}; try a lower lr, "
      "a longer warmup or a clip such as 1",
      std::isfinite(result.loss) ? "gradient" : "loss", progress_.step + 1, problem_.rate(progress_.step),
      checkpoint ? checkpoint->string() : none));
}

void Run::report() {
  const auto steps = static_cast<double>(progress_.step - reported_step_);
  metrics_->append({{"step", progress_.step},
                    {"loss", progress_.loss},
                    {"lr", problem_.rate(progress_.step - 1)},
                    {"gradient_norm", gradient_norm_},
                    {"steps_per_second", steps / std::max(1e-9, seconds_since(reported_at_))}});
  reported_step_ = progress_.step;
  reported_at_ = Clock::now();
  progress_.begin_mean();
}

// What is told to stop leaves no trace but that it is still due.
void Run::evaluate(const Calls& calls) {
  progress_.evaluation_due = true;
  const std::optional<Evaluation> evaluation = problem_.evaluate([&] { return told_to_stop(calls); });
  if (!evaluation) return;
  progress_.evaluation_due = false;
  const bool best = progress_.add_evaluation(progress_.step, evaluation->log_likelihood);
  if (best) problem_.keep_best(folder_, state(), evaluation->log_likelihood);
  nlohmann::ordered_json line{{"step", progress_.step}, {"log_likelihood", evaluation->log_likelihood}};
  if (evaluation->standard_error) line["standard_error"] = *evaluation->standard_error;
  if (plan_.tell_kept) line["kept"] = best;
  metrics_->append(line);
  reported_at_ = Clock::now();  // the time of evaluations is not that of steps
  reported_step_ = progress_.step;
}

void Run::save() {
  problem_.save(checkpoint_folder(folder_), state());
  saved_step_ = progress_.step;
  saved_at_ = Clock::now();
}

}  // namespace cmanp::runs

#include "training/trainer/task_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runs/plan_of.hpp"
#include "training/distributed/share.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::training {

namespace fs = std::filesystem;

namespace {

// Evaluations are to take no more than a tenth of the time. A batch of theirs is no more work than a third of a step on
// as many tasks, which goes backward, too.
std::int64_t steps_between_evaluations(const Settings& settings, const Task& task) {
  constexpr std::int64_t kLeastSteps = 10, kTogether = 16;  // what a task of tables evaluates at once
  const auto batches =
      static_cast<std::int64_t>(std::min(static_cast<std::size_t>(settings.eval_batches), task.evaluation_batches()));
  return std::max(kLeastSteps, 10 * batches * std::max(settings.batch, kTogether) / (3 * settings.batch));
}

}  // namespace

TaskProblem::TaskProblem(const Settings& settings, Group group, fs::path evaluation_cache)
    : settings_(settings),
      group_(std::move(group)),
      evaluation_cache_(std::move(evaluation_cache)),
      task_(make_task(settings)),
      step_(settings, group_) {
  share_of(settings_.batch, group_.rank(), group_.size());  // there must be one
}

std::string TaskProblem::title() const { return fmt::format("{} on {}", settings_.model, task_->name()); }

runs::Plan TaskProblem::plan() const {
  runs::Plan plan = runs::plan_of(settings_);
  if (settings_.eval_every < 0) plan.eval_first = steps_between_evaluations(settings_, *task_);
  plan.tell_kept = settings_.keep == kKeepBest;
  plan.eval_start = plan.tell_kept && !settings_.start.empty();  // fresh weights are not worth it
  return plan;
}

void TaskProblem::check_resumable(const nlohmann::ordered_json& before, const std::string& run) const {
  training::check_resumable(before, to_json(settings_), run);
}

void TaskProblem::begin() { use_threads(settings_.threads, group_.on_this_machine()); }

std::optional<runs::StepResult> TaskProblem::take_step(std::int64_t step) {
  if (!batches_) {
    batches_.emplace(task_, static_cast<std::uint64_t>(settings_.seed), static_cast<std::uint64_t>(step));
  }
  return step_(batches_->next(), step);
}

std::optional<runs::Evaluation> TaskProblem::evaluate(const std::function<bool()>& should_stop) {
  struct Stopped {};
  const auto go_on = [&](std::size_t) {
    if (should_stop()) throw Stopped{};
    return true;
  };
  try {
    if (!evaluation_set_) {
      EvaluationSetOptions options;
      options.batches = static_cast<std::size_t>(settings_.eval_batches);
      options.cache = evaluation_cache_;
      options.progress = go_on;
      evaluation_set_ = cached_evaluation_set(*task_, options);
    }
    const AveragedWeights averaged = step_.optimiser().use_averaged();
    const Evaluation evaluation = training::evaluate(step_.model(), *evaluation_set_, go_on);
    return runs::Evaluation{evaluation.log_likelihood, evaluation.standard_error};
  } catch (const Stopped&) {
    return {};
  }
}

void TaskProblem::keep_best(const fs::path& run, const runs::RunState& state, double log_likelihood) {
  if (settings_.keep != kKeepBest) return;
  const AveragedWeights averaged = step_.optimiser().use_averaged();
  const FlatParameters& parameters = step_.optimiser().parameters();
  kept_ = KeptWeights{state.step, log_likelihood, parameters.named(parameters.values().clone())};
  const fs::path saved = runs::checkpoint_folder(run) / runs::checkpoint_name(state.step);
  if (fs::exists(saved)) save_kept(saved, *kept_);
}

void TaskProblem::save(const fs::path& checkpoints, const runs::RunState& state) const {
  Checkpoint checkpoint{state, {}, {}, {}, {}, kept_};
  step_.optimiser().save_to(checkpoint);
  save_checkpoint(checkpoints, checkpoint);
}

void TaskProblem::restore(const fs::path& checkpoint) {
  Checkpoint saved = load_checkpoint(checkpoint);
  step_.optimiser().restore(saved, checkpoint.string());
  if (settings_.keep == kKeepBest) kept_ = std::move(saved.kept);
}

void TaskProblem::start() {
  if (settings_.start.empty()) return;
  take_weights(step_.model(), settings_.start);
  step_.optimiser().restart_average();
}

void TaskProblem::follow_first() {
  if (group_.size() == 1) return;
  for (const torch::Tensor& tensor : step_.optimiser().tensors()) group_.take_from_first(tensor);
}

}  // namespace cmanp::training

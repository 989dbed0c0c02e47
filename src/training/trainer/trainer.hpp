// A training run in a folder:
//   settings.json        all that decides about it
//   metrics.jsonl        a line now and then
//   checkpoints/         the newest state; see checkpoint.hpp
//   lock                 held as long as a process trains; see run_lock.hpp
//   learning_curve.png   where gnuplot is installed
// Seed and settings decide about every bit of it; a run that was killed and resumed ends as the unbroken one.
//
// Where several processes train together, each makes a Trainer with the same settings, and all run. Rank 0 alone knows
// the folder, evaluates and reports. With another number of processes a run differs by rounding only.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "runs/metrics.hpp"
#include "runs/run_lock.hpp"
#include "training/distributed/group.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/tasks/task.hpp"
#include "training/trainer/settings.hpp"
#include "training/trainer/training_step.hpp"

namespace cmanp::training {

// Where a run stands.
struct Progress {
  std::int64_t step = 0;                 // finished
  double loss = 0;                       // mean since the last line of metrics
  std::optional<double> log_likelihood;  // of the last evaluation
  bool evaluation_due = false;           // that of this step was told to stop
};

struct TrainerEvents {
  std::function<void(const Progress&)> stepped = [](const Progress&) {};
  std::function<bool()> should_stop = [] { return false; };
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::filesystem::path evaluation_cache = {};
};

class Trainer {
 public:
  // A new run, or, with `resume`, the one in `folder` from its newest checkpoint on, if there is any; `settings` must
  // then be its own where it matters.
  Trainer(const Settings& settings, std::filesystem::path folder, bool resume = false, Group group = {});

  // Trains to the end or until told to stop, in any process, within a batch of training or of evaluation, and saves.
  // Throws Error where the loss is no longer a number, with the step, the last checkpoint and a hint; and, having
  // saved, where another process is gone.
  Progress run(const TrainerEvents& events);

  NeuralProcess& model() { return step_.model(); }
  const Progress& progress() const { return progress_; }

 private:
  void open_folder(bool resume);
  void restore(const std::filesystem::path& path);
  void recall_evaluations();
  bool evaluates_here() const;  // whether an evaluation belongs to the step just finished
  void follow_first();
  nlohmann::ordered_json carried() const;  // from step to step, beside tensors
  void carry_on(std::int64_t step, const nlohmann::ordered_json& carried, const std::string& where);

  void train(const TrainerEvents& events);
  void train_step(const Batch& batch);
  [[noreturn]] void fail_diverged(const StepResult& result) const;
  void report();
  void evaluate_now(const TrainerEvents& events);
  void save();

  Settings settings_;
  std::filesystem::path folder_;
  std::optional<runs::RunLock> lock_;
  Group group_;
  std::shared_ptr<const Task> task_;
  TrainingStep step_;
  Progress progress_;
  double loss_sum_ = 0;
  std::int64_t loss_count_ = 0;
  double gradient_norm_ = 0;
  std::int64_t saved_step_ = -1;
  std::chrono::steady_clock::time_point saved_at_, reported_at_;
  std::int64_t reported_step_ = 0;
  std::unique_ptr<runs::MetricsFile> metrics_;  // rank 0's
  std::optional<EvaluationSet> evaluation_set_;
};

}  // namespace cmanp::training

// A training run in a folder, whatever it trains:
//   settings.json        all that decides about it
//   metrics.jsonl        a line now and then
//   checkpoints/         the newest state; the problem's own
//   lock                 held as long as a process trains; see run_lock.hpp
//   learning_curve.png   where gnuplot is installed
// Seed and settings decide about every bit of it; a run that was killed and resumed ends as the unbroken one.
//
// Where several processes train together, each makes a Run of the same problem, and all go. The first alone knows the
// folder, evaluates and reports.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runs/metrics.hpp"
#include "runs/problem.hpp"
#include "runs/progress.hpp"
#include "runs/run_lock.hpp"

namespace cmanp::runs {

struct Opening {
  Resume resume = Resume::no;
  bool other_steps = false;  // a resumed run may be made longer, or shorter
};

struct Calls {
  std::function<void(const Progress&)> stepped = [](const Progress&) {};  // the first process's alone
  std::function<bool()> should_stop = [] { return false; };
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

class Run {
 public:
  // A new run, or the one in `folder`, from its newest checkpoint on; the problem's settings must then be its own where
  // it matters. Takes the problem to where the run stands.
  Run(Problem& problem, std::filesystem::path folder, Opening opening = {});

  // Trains to the end, until nothing is gained, or until told to stop, in any process, after a step or within an
  // evaluation; and saves. Throws Error where the loss is no longer a number, with the step, the last checkpoint and a
  // hint; and, having saved, where another process is gone.
  Progress go(const Calls& calls = {});

  const Progress& progress() const { return progress_; }
  bool finished() const { return (progress_.step >= plan_.steps || gave_up_) && !progress_.evaluation_due; }

 private:
  using Clock = std::chrono::steady_clock;

  void open(const Opening& opening);
  void restore(const std::filesystem::path& checkpoint, const Opening& opening);
  void take_steps_from(const RunState& before);
  void recall_evaluations();
  void follow_first();

  void train(const Calls& calls);
  void take_step();
  void report();
  void evaluate(const Calls& calls);
  void save();
  bool told_to_stop(const Calls& calls);
  bool evaluates_here() const;  // whether an evaluation belongs to the step just finished
  bool out_of_patience() const { return plan_.patience > 0 && progress_.without_gain >= plan_.patience; }
  RunState state() const { return {progress_.step, settings_, to_json(progress_)}; }
  [[noreturn]] void fail_diverged(const StepResult& result) const;

  Problem& problem_;
  Plan plan_;
  nlohmann::ordered_json settings_;
  std::filesystem::path folder_;
  std::optional<RunLock> lock_;
  std::unique_ptr<MetricsFile> metrics_;  // the first process's
  Progress progress_;
  double gradient_norm_ = 0;
  bool stopping_ = false;
  bool gave_up_ = false;  // out of patience, as the first process says
  std::int64_t saved_step_ = -1;
  std::int64_t reported_step_ = 0;
  Clock::time_point saved_at_, reported_at_;
};

}  // namespace cmanp::runs

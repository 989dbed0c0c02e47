// A training run on event sequences in a folder:
//   settings.json        all that decides about it
//   metrics.jsonl        a line now and then
//   checkpoints/         the newest state; see training/trainer/checkpoint.hpp
//   best.safetensors     the weights with the best likelihood on the validation part so far
//   lock                 held as long as a process trains; see runs/run_lock.hpp
//   learning_curve.png   where gnuplot is installed
// Seed and settings decide about every bit of it, unless a limit in minutes cuts it short; a run that was killed and
// resumed ends as the unbroken one.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "runs/metrics.hpp"
#include "runs/run_lock.hpp"
#include "training/events/event_run.hpp"
#include "training/trainer/optimiser.hpp"

namespace cmanp::training::events {

struct EventProgress {
  std::int64_t step = 0;
  double seconds = 0;                   // of processor time, spent on steps and evaluations
  double loss = 0;                      // mean since the last line of metrics, on the standardised scale
  std::optional<double> nll, best_nll;  // per event on the validation part, in the data's unit of time
  std::int64_t best_step = 0;
  std::int64_t without_gain = 0;  // evaluations since
};

struct EventTrainerCalls {
  std::function<void(const EventProgress&)> stepped = [](const EventProgress&) {};
  std::function<bool()> should_stop = [] { return false; };
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

class EventTrainer {
 public:
  // A new run, or, with `resume`, the one in `folder`, if there is any.
  EventTrainer(const EventSettings& settings, std::filesystem::path folder, bool resume);

  // Trains to the end, until nothing is gained, or until told to stop; saves. Throws Error where the loss is no longer
  // a number.
  EventProgress run(const EventTrainerCalls& calls);

  bool finished() const;
  EventNetwork& network() { return *network_; }
  const EventProgress& progress() const { return progress_; }
  const EventParts& parts() const { return parts_; }

 private:
  void open_folder(bool resume);
  void restore(const std::filesystem::path& path);
  double rate() const;
  void train_step(const std::vector<const Sequence*>& sequences);
  void report();
  void evaluate_now();
  void save();

  EventSettings settings_;
  std::filesystem::path folder_;
  std::optional<runs::RunLock> lock_;
  EventParts parts_;
  EventDomain domain_;
  std::shared_ptr<EventNetwork> network_;
  Optimiser optimiser_;
  EventProgress progress_;
  double loss_sum_ = 0;
  std::int64_t loss_count_ = 0;
  std::int64_t saved_step_ = -1;
  std::unique_ptr<runs::MetricsFile> metrics_;
};

}  // namespace cmanp::training::events

// What a run trains: a problem gives steps, evaluations and its state to save; the run decides when.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runs/companions.hpp"
#include "runs/run_files.hpp"

namespace cmanp::runs {

// When a run does what.
struct Plan {
  std::int64_t steps = 1;
  std::int64_t log_every = 200;    // steps between lines of metrics
  std::int64_t eval_every = 0;     // between evaluations, of which one is at the end; 0: none
  std::int64_t eval_first = 0;     // instead, where above 0: between the first of them; see is_evaluation_step
  bool eval_start = false;         // what it starts from is evaluated, too
  bool tell_kept = false;          // the metrics say which evaluations were the best so far
  std::int64_t save_every = 1000;  // between checkpoints
  double save_minutes = 5;         // after which there is one in any case
  std::int64_t patience = 0;       // evaluations without a gain before the run ends; 0: never
};

// Of evaluations that are `first` steps apart at the beginning, and later an eighth of the steps that are done: what is
// best may come early, and late weights change slowly. The same whatever the length of the run.
inline bool is_evaluation_step(std::int64_t step, std::int64_t first) {
  std::int64_t at = first;
  while (at < step) at += std::max(first, at / 8);
  return at == step;
}

struct StepResult {
  double loss = 0;
  double gradient_norm = 0;  // before clipping

  bool finite() const { return std::isfinite(loss) && std::isfinite(gradient_norm); }
};

struct Evaluation {
  double log_likelihood = 0;
  std::optional<double> standard_error = {};
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string title() const = 0;  // of its learning curve
  virtual Plan plan() const = 0;
  virtual double rate(std::int64_t step) const = 0;  // of learning

  // All that decides about it, with the plan's "steps"; and whether a run with settings `before` can go on with them:
  // throws Error that names the run and the setting.
  virtual nlohmann::ordered_json settings() const = 0;
  virtual void check_resumable(const nlohmann::ordered_json& before, const std::string& run) const = 0;

  // Once before all steps and evaluations that are made here.
  virtual void begin() {}

  // Takes the step of this number, from 0 on; each is the one after that before. None: there was nothing to learn from.
  // Where the result is not finite, and where it throws, the problem is as it was.
  virtual std::optional<StepResult> take_step(std::int64_t step) = 0;

  // None where it was told to stop. It leaves no trace in what is trained.
  virtual std::optional<Evaluation> evaluate(const std::function<bool()>& should_stop) = 0;

  // The problem as it stands was never evaluated better. Its step may be saved already; told again after a kill, it is
  // told the same.
  virtual void keep_best(const std::filesystem::path& /*run*/, const RunState& /*state*/, double /*log_likelihood*/) {}

  // What is needed beside `state` to go on from here, as one checkpoint in the folder of checkpoints; and back.
  virtual void save(const std::filesystem::path& checkpoints, const RunState& state) const = 0;
  virtual void restore(const std::filesystem::path& checkpoint) = 0;
  virtual void start() {}  // a new run, instead of restore

  // Those that train it together with this process, and taking over what the first of them has restored.
  virtual const Companions& companions() const { return alone_; }
  virtual void follow_first() {}

 private:
  Companions alone_;
};

}  // namespace cmanp::runs

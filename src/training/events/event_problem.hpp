// A model that learns event sequences, as a problem of a run; see runs/run.hpp. Beside what every run keeps, the folder
// of this one holds
//   best.safetensors     the weights with the best likelihood on the validation part so far
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/ahead.hpp"
#include "runs/problem.hpp"
#include "runs/schedule.hpp"
#include "training/events/event_run.hpp"
#include "training/trainer/optimiser.hpp"

namespace cmanp::training::events {

class EventProblem final : public runs::Problem {
 public:
  explicit EventProblem(const EventSettings& settings)
      : EventProblem(settings, std::make_shared<const EventParts>(load_parts(settings))) {}
  EventProblem(const EventSettings& settings, std::shared_ptr<const EventParts> parts);

  std::string title() const override;
  runs::Plan plan() const override;
  double rate(std::int64_t step) const override { return schedule_.at(step); }
  nlohmann::ordered_json settings() const override { return to_json(settings_); }
  void check_resumable(const nlohmann::ordered_json& before, const std::string& run) const override;
  void begin() override;
  std::optional<runs::StepResult> take_step(std::int64_t step) override;
  std::optional<runs::Evaluation> evaluate(const std::function<bool()>& should_stop) override;
  void keep_best(const std::filesystem::path& run, const runs::RunState& state, double log_likelihood) override;
  void save(const std::filesystem::path& checkpoints, const runs::RunState& state) const override;
  void restore(const std::filesystem::path& checkpoint) override;

  EventNetwork& network() { return *network_; }
  const EventParts& parts() const { return *parts_; }

 private:
  std::function<EventBatch(std::uint64_t)> batch_maker() const;

  EventSettings settings_;
  std::shared_ptr<const EventParts> parts_;
  EventDomain domain_;
  std::shared_ptr<EventNetwork> network_;
  Optimiser optimiser_;
  runs::Schedule schedule_;
  std::optional<base::Ahead<EventBatch>> batches_;  // from the first step on that is asked for
};

}  // namespace cmanp::training::events

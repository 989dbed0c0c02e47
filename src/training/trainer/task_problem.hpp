// A model that learns a task, as a problem of a run; see runs/run.hpp.
//
// Where several processes train together, each has a problem with the same settings. With another number of processes a
// run differs by rounding only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "runs/problem.hpp"
#include "training/distributed/group.hpp"
#include "training/evaluation/evaluation_set.hpp"
#include "training/tasks/prefetcher.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/settings.hpp"
#include "training/trainer/training_step.hpp"

namespace cmanp::training {

class TaskProblem final : public runs::Problem {
 public:
  // `evaluation_cache`: a folder for evaluation sets; none: they are not kept.
  explicit TaskProblem(const Settings& settings, Group group = {}, std::filesystem::path evaluation_cache = {});

  std::string title() const override;
  runs::Plan plan() const override;
  double rate(std::int64_t step) const override { return step_.rate(step); }
  nlohmann::ordered_json settings() const override { return to_json(settings_); }
  void check_resumable(const nlohmann::ordered_json& before, const std::string& run) const override;
  void begin() override;
  std::optional<runs::StepResult> take_step(std::int64_t step) override;
  std::optional<runs::Evaluation> evaluate(const std::function<bool()>& should_stop) override;
  void keep_best(const std::filesystem::path& run, const runs::RunState& state, double log_likelihood) override;
  void save(const std::filesystem::path& checkpoints, const runs::RunState& state) const override;
  void restore(const std::filesystem::path& checkpoint) override;
  void start() override;
  const runs::Companions& companions() const override { return group_; }
  void follow_first() override;

  NeuralProcess& model() { return step_.model(); }
  const std::optional<KeptWeights>& kept() const { return kept_; }

 private:
  Settings settings_;
  Group group_;
  std::filesystem::path evaluation_cache_;
  std::shared_ptr<const Task> task_;
  TrainingStep step_;
  std::optional<EvaluationSet> evaluation_set_;
  std::optional<KeptWeights> kept_;
  std::optional<Prefetcher> batches_;  // from the first step on that is asked for
};

}  // namespace cmanp::training

// A problem without a model: a number that every step moves, and calls that can be told to fail.
#pragma once

#include <cmanp/error.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "runs/problem.hpp"
#include "runs/settings_file.hpp"

namespace cmanp::testing {

struct Killed {};

struct ToyProblem : runs::Problem {
  runs::Plan its_plan{.steps = 20, .log_every = 3, .eval_every = 4, .save_every = 5, .save_minutes = 5, .patience = 0};
  std::int64_t calls_until_killed = -1;  // of what is done or written; -1: never
  double gain = 1;                       // of later evaluations over earlier ones
  std::int64_t diverges_at = -1;
  std::int64_t best_kept = -1;
  double value = 0, best_value = 0;

  std::string title() const override { return "toy"; }
  runs::Plan plan() const override { return its_plan; }
  double rate(std::int64_t step) const override { return 1.0 / static_cast<double>(step + 1); }
  nlohmann::ordered_json settings() const override { return {{"steps", its_plan.steps}, {"extended", ""}}; }
  void check_resumable(const nlohmann::ordered_json& before, const std::string& run) const override {
    if (before["steps"] != its_plan.steps) throw Error(run + " has other steps");
  }
  std::optional<runs::StepResult> take_step(std::int64_t step) override {
    live();
    if (step % 6 == 5) return {};  // nothing to learn from
    if (step == diverges_at) return runs::StepResult{std::nan(""), 1};
    value = 0.9 * value + std::sin(static_cast<double>(step));
    return runs::StepResult{value, 1};
  }
  std::optional<runs::Evaluation> evaluate(const std::function<bool()>& should_stop) override {
    for (int batch = 0; batch < 3; ++batch) {
      live();
      if (should_stop()) return {};
    }
    return runs::Evaluation{gain * value, 0.5};
  }
  void keep_best(const std::filesystem::path&, const runs::RunState& state, double) override {
    live();
    best_kept = state.step;
    best_value = value;
  }
  void save(const std::filesystem::path& checkpoints, const runs::RunState& state) const override {
    live();
    const auto aside = checkpoints / "unfinished", path = checkpoints / runs::checkpoint_name(state.step);
    std::filesystem::create_directories(aside);
    runs::write_settings_file(aside / runs::kStateFile, {{"step", state.step},
                                                         {"progress", state.progress},
                                                         {"settings", state.settings},
                                                         {"value", value},
                                                         {"best_kept", best_kept},
                                                         {"best_value", best_value}});
    live();
    std::filesystem::rename(aside, path);
  }
  void restore(const std::filesystem::path& checkpoint) override {
    const auto state = runs::read_settings_file(checkpoint / runs::kStateFile);
    value = state["value"].get<double>();
    best_value = state["best_value"].get<double>();
    best_kept = state["best_kept"].get<std::int64_t>();
  }

 private:
  void live() const {
    if (lived_++ == calls_until_killed) throw Killed{};
  }
  mutable std::int64_t lived_ = 0;
};

}  // namespace cmanp::testing

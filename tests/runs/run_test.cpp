// Runs of any problem: killed, stopped, resumed, made longer, ended early, diverged.
#include "runs/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "runs/minutes.hpp"
#include "runs/toy_problem.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::runs {
namespace {

using testing::error_message;
using testing::Killed;
using testing::TemporaryFolder;
using testing::ToyProblem;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Progress go(ToyProblem& problem, const fs::path& folder, Opening opening = {Resume::if_there},
            std::int64_t until = 1 << 30) {
  runs::Run run(problem, folder, opening);
  Calls calls;
  calls.should_stop = [&] { return run.progress().step >= until; };
  return run.go(calls);
}

// All that is left in the folder but speeds.
Json result_of(const fs::path& folder) {
  Json lines = Json::array();
  for (Json& line : read_metrics(folder / kMetricsFile, 1 << 30)) {
    line.erase("steps_per_second");
    lines.push_back(line);
  }
  return {{"metrics", lines}, {"state", read_settings_file(checkpoint_of(folder) / kStateFile)}};
}

Json unbroken(const fs::path& folder, ToyProblem problem = {}) {
  go(problem, folder);
  return result_of(folder);
}

void expect_the_same_when_killed(const TemporaryFolder& folder, const ToyProblem& fresh, const Json& want) {
  for (std::int64_t first = 0; first < 50; ++first) {
    const fs::path run = folder / std::to_string(first);
    for (int kills = 0;; ++kills) {
      ToyProblem problem = fresh;
      if (kills < 2) problem.calls_until_killed = first + 7 * kills;
      try {
        go(problem, run);
        break;
      } catch (const Killed&) {
      }
    }
    EXPECT_EQ(result_of(run), want) << first;
  }
}

TEST(Run, KilledAtAnyMomentItEndsAsTheUnbrokenOne) {
  const TemporaryFolder folder;
  const Json want = unbroken(folder / "unbroken");
  EXPECT_EQ(want["metrics"].size(), 12U);  // 7 reports, 5 evaluations
  expect_the_same_when_killed(folder, {}, want);
}

TEST(Run, WhatItStartsFromMayBeTheBest) {
  const TemporaryFolder folder;
  ToyProblem problem;
  problem.value = 100;  // every step makes it less
  problem.its_plan.eval_start = problem.its_plan.tell_kept = true;
  const Json want = unbroken(folder / "unbroken", problem);
  EXPECT_EQ(want["metrics"].size(), 13U);
  EXPECT_EQ(want["metrics"][0]["step"], 0);
  EXPECT_EQ(want["metrics"][0]["kept"], true);
  EXPECT_EQ(want["metrics"][12]["kept"], false);
  EXPECT_EQ(want["state"]["progress"]["best_step"], 0);
  EXPECT_EQ(want["state"]["best_value"], 100);
  expect_the_same_when_killed(folder, problem, want);
}

TEST(Run, EvaluatesOftenAtFirst) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 1; step <= 300; ++step) {
    if (is_evaluation_step(step, 20)) steps.push_back(step);
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{20, 40, 60, 80, 100, 120, 140, 160, 180, 202, 227, 255, 286}));
  const TemporaryFolder folder;
  ToyProblem problem;
  problem.its_plan.eval_every = 0;
  problem.its_plan.eval_first = 8;
  const Json want = unbroken(folder / "unbroken", problem);
  std::vector<std::int64_t> evaluated;
  for (const Json& line : want["metrics"]) {
    if (line.contains("log_likelihood")) evaluated.push_back(line["step"]);
  }
  EXPECT_EQ(evaluated, (std::vector<std::int64_t>{8, 16, 20}));
  expect_the_same_when_killed(folder, problem, want);
}

TEST(Run, StoppedInAnEvaluationItMakesUpForIt) {
  const TemporaryFolder folder;
  const Json want = unbroken(folder / "unbroken");
  for (const std::int64_t until : {4, 8, 13}) {
    ToyProblem problem;
    const Progress progress = go(problem, folder / "run", {Resume::if_there}, until);
    EXPECT_EQ(progress.step, until);
    EXPECT_EQ(progress.evaluation_due, until % 4 == 0);
  }
  ToyProblem problem;
  runs::Run last(problem, folder / "run", {Resume::yes});
  EXPECT_FALSE(last.finished());
  last.go();
  EXPECT_TRUE(last.finished());
  EXPECT_EQ(result_of(folder / "run"), want);
}

// The evaluation that was made up for stands in the metrics alone when the kill comes.
TEST(Run, CountsEvaluationsThatNoCheckpointKnows) {
  const TemporaryFolder folder;
  ToyProblem stopped;
  stopped.its_plan.patience = 1;
  stopped.gain = 0;  // the first is the best
  go(stopped, folder / "run", {}, 8);
  ToyProblem made_up = stopped;
  {
    runs::Run run(made_up, folder / "run", {Resume::yes});
    Calls calls;
    int asked = 0;
    calls.should_stop = [&] { return ++asked > 3; };  // after the evaluation
    run.go(calls);
  }
  ToyProblem resumed = stopped;
  runs::Run run(resumed, folder / "run", {Resume::yes});
  EXPECT_EQ(run.progress().without_gain, 1);
  EXPECT_TRUE(run.finished());
}

TEST(Run, EndsWhereNothingIsGained) {
  const TemporaryFolder folder;
  ToyProblem problem;
  problem.its_plan.patience = 2;
  problem.gain = 0;
  const Progress progress = go(problem, folder / "run");
  EXPECT_EQ(progress.step, 12);  // evaluated at 4, 8 and 12
  EXPECT_EQ(progress.best_step, 4);
  EXPECT_EQ(problem.best_kept, 4);
  EXPECT_EQ(go(problem, folder / "run").step, 12);
  problem.its_plan.patience = 0;
  EXPECT_EQ(go(problem, folder / "run").step, 20);
}

TEST(Run, IsThereOrNotAsItShouldBe) {
  const TemporaryFolder folder;
  ToyProblem problem;
  const auto refused = [&](Resume resume) {
    return error_message([&] { runs::Run(problem, folder / "run", {resume}); });
  };
  EXPECT_NE(refused(Resume::yes).find("holds no training run"), std::string::npos) << refused(Resume::yes);
  EXPECT_FALSE(fs::exists(folder / "run"));
  EXPECT_EQ(refused(Resume::if_there), "(no error)");
  EXPECT_NE(refused(Resume::no).find("holds a run already"), std::string::npos) << refused(Resume::no);
  EXPECT_EQ(refused(Resume::yes), "(no error)");
  const runs::Run first(problem, folder / "run", {Resume::yes});
  for (const Resume resume : {Resume::yes, Resume::no, Resume::if_there}) {
    EXPECT_NE(refused(resume).find("another run (process " + std::to_string(::getpid()) + ")"), std::string::npos);
  }
}

TEST(Run, CanBeMadeLonger) {
  const TemporaryFolder folder;
  ToyProblem problem, longer, longest;
  longer.its_plan.steps = 31;
  longest.its_plan.steps = 40;
  go(problem, folder / "run");
  go(longest, folder / "long");
  EXPECT_NE(error_message([&] { go(longer, folder / "run"); }).find("other steps"), std::string::npos);
  longer.calls_until_killed = 3;  // before a checkpoint knows it
  EXPECT_THROW(go(longer, folder / "run", {Resume::yes, true}), Killed);
  EXPECT_EQ(read_state(checkpoint_of(folder / "run")).settings["steps"], 20);
  longer.calls_until_killed = -1;
  EXPECT_EQ(go(longer, folder / "run", {Resume::yes}).step, 31);
  ToyProblem last = longest;
  EXPECT_EQ(go(last, folder / "run", {Resume::yes, true}).step, 40);
  EXPECT_EQ(last.value, longest.value);
  EXPECT_EQ(read_settings_file(folder / "run" / kSettingsFile)["extended"],
            "20 steps until step 20, 31 steps until step 31");
  ToyProblem shorter;
  const std::string message = error_message([&] { go(shorter, folder / "run", {Resume::yes, true}); });
  EXPECT_NE(message.find("step 40 is done already, beyond the last of 20"), std::string::npos) << message;
}

TEST(Run, ADivergingLossStopsWithStepCheckpointAndHint) {
  const TemporaryFolder folder;
  ToyProblem problem;
  problem.diverges_at = 7;
  const std::string message = error_message([&] { go(problem, folder / "run"); });
  EXPECT_NE(message.find("the loss is no longer a number at step 8 (learning rate 0.125)"), std::string::npos);
  EXPECT_NE(message.find((folder / "run/checkpoints/step-00000005").string()), std::string::npos) << message;
}

// Where another process is gone, the first saves what it has.
struct LostOthers : Companions {
  mutable int asked = 0;
  bool any(bool here) const override {
    if (++asked == 8) throw LostCompanion("they are gone");
    return here;
  }
};

struct SharedProblem : ToyProblem {
  LostOthers others;
  const Companions& companions() const override { return others; }
};

TEST(Run, IsSavedWhereAnotherProcessIsGone) {
  const TemporaryFolder folder;
  const Json want = unbroken(folder / "unbroken");
  SharedProblem problem;
  const std::string message = error_message([&] { go(problem, folder / "run"); });
  EXPECT_EQ(message, "they are gone; the run is saved at step 7");
  ToyProblem alone;
  go(alone, folder / "run", {Resume::yes});
  EXPECT_EQ(result_of(folder / "run"), want);
}

TEST(Progress, OfOlderLayoutsIsRead) {
  const Progress events =
      parse_progress({7, {}, Json::parse(R"({"seconds": 1.5, "loss": 0.5, "nll": -0.25, "best_nll": -0.75,
                      "best_step": 4, "without_gain": 1, "loss_sum": 1.0, "loss_count": 2})")},
                     "");
  EXPECT_EQ(events.log_likelihood, 0.25);
  EXPECT_EQ(events.best_log_likelihood, 0.75);
  EXPECT_EQ(events.best_step, 4);
  EXPECT_EQ(events.without_gain, 1);
  EXPECT_EQ(events.evaluated_step, 7);
  const Progress other = parse_progress(
      {7, {}, Json::parse(R"({"loss_sum": 1.0, "loss_count": 2, "loss": 0.5, "log_likelihood": null})")}, "");
  EXPECT_FALSE(other.log_likelihood.has_value());
  EXPECT_EQ(other.loss_count, 2);
  EXPECT_NE(error_message([] { parse_progress({7, {}, Json::object()}, "here"); }).find("here: "), std::string::npos);
}

TEST(Minutes, BecomeMoreStepsThanTheWarmup) {
  ToyProblem problem;
  std::string told;
  EXPECT_GT(steps_within(1e-3, problem, 5, [&](const std::string& text) { told = text; }), 5);
  EXPECT_NE(told.find("steps a second"), std::string::npos) << told;
  EXPECT_EQ(steps_within(1e-9, problem, 1LL << 40, [](const std::string&) {}), (1LL << 40) + 1);
}

}  // namespace
}  // namespace cmanp::runs

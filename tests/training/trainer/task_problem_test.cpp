// Runs: the same for the same seed, the same when interrupted and resumed, stopped when they diverge.
#include "training/trainer/task_problem.hpp"

#include <gtest/gtest.h>

#include "runs/metrics.hpp"
#include "runs/run.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tiny_settings.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/tasks/task.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/multiply_adds.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/training_step.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using testing::read_file;
using testing::TemporaryFolder;
using testing::tiny_settings;

runs::Progress train(const Settings& settings, const std::filesystem::path& folder, std::int64_t until = 1 << 30,
                     runs::Opening opening = {runs::Resume::if_there}) {
  TaskProblem problem(settings);
  runs::Run run(problem, folder, opening);
  runs::Calls calls;
  calls.should_stop = [&] { return run.progress().step >= until; };
  return run.go(calls);
}

Checkpoint result_of(const std::filesystem::path& folder) {
  return load_checkpoint(runs::latest_checkpoint(runs::checkpoint_folder(folder)).value());
}

void expect_same(const Checkpoint& left, const Checkpoint& right) {
  EXPECT_EQ(left.step, right.step);
  EXPECT_EQ(left.progress, right.progress);
  for (const auto member :
       {&Checkpoint::weights, &Checkpoint::averaged, &Checkpoint::first_moment, &Checkpoint::second_moment}) {
    ASSERT_FALSE((left.*member).empty());
    for (const auto& [name, tensor] : left.*member) EXPECT_TRUE(torch::equal(tensor, (right.*member).at(name))) << name;
  }
}

void expect_same_kept(const Checkpoint& left, const Checkpoint& right) {
  ASSERT_TRUE(left.kept && right.kept);
  EXPECT_EQ(left.kept->step, right.kept->step);
  EXPECT_EQ(left.kept->log_likelihood, right.kept->log_likelihood);
  ASSERT_FALSE(left.kept->weights.empty());
  for (const auto& [name, tensor] : left.kept->weights) {
    EXPECT_TRUE(torch::equal(tensor, right.kept->weights.at(name))) << name;
  }
}

// Speed is the one field of the metrics that differs.
std::vector<nlohmann::ordered_json> metrics_of(const std::filesystem::path& folder) {
  auto lines = runs::read_metrics(folder / "metrics.jsonl", 1 << 30);
  for (auto& line : lines) line.erase("steps_per_second");
  return lines;
}

TEST(Trainer, InterruptedAndResumedEndsAsTheUnbroken) {
  const TemporaryFolder folder;
  for (const nlohmann::ordered_json& changes :
       {nlohmann::ordered_json::object(), nlohmann::ordered_json{{"context_targets", true}}}) {
    const Settings settings = tiny_settings(changes);
    const std::string name = changes.empty() ? "a" : "b";
    train(settings, folder / (name + "unbroken"));
    for (const std::int64_t until : {1, 10, 17, 100}) train(settings, folder / (name + "broken"), until);
    expect_same(result_of(folder / (name + "unbroken")), result_of(folder / (name + "broken")));
    EXPECT_EQ(metrics_of(folder / (name + "unbroken")), metrics_of(folder / (name + "broken")));
  }
  EXPECT_FALSE(torch::equal(result_of(folder / "aunbroken").weights.begin()->second,
                            result_of(folder / "bunbroken").weights.begin()->second));
}

TEST(Trainer, LearnsTheSameFromAStreamedContext) {
  const Settings settings = tiny_settings();
  TrainingStep whole(settings), streamed(tiny_settings({{"context_chunk", 2}}));
  const auto task = make_task(settings);
  for (std::int64_t step = 0; step < 5; ++step) {
    Random random(1, Stream::training, static_cast<std::uint64_t>(step));
    const Batch batch = task->next(random);
    StepResult want, found;
    const double once = count_multiply_adds([&] { want = whole(batch, step); });
    EXPECT_GT(count_multiply_adds([&] { found = streamed(batch, step); }), once);  // chunks are made anew in backward
    EXPECT_NEAR(found.loss, want.loss, 1e-4);
    EXPECT_NEAR(found.gradient_norm, want.gradient_norm, 1e-3 * want.gradient_norm);
  }
}

// In the step itself, so that whoever times steps times these.
TEST(Trainer, AStepTakesTheContextAsTargetsWhereToldSo) {
  const Settings settings = tiny_settings();
  TrainingStep told(tiny_settings({{"context_targets", true}})), step(settings), other(settings);
  Random random(1, Stream::training, 0);
  const Batch batch = make_task(settings)->next(random);
  const double loss = told(batch, 0).loss;
  EXPECT_EQ(loss, step(with_context_as_targets(batch), 0).loss);
  EXPECT_NE(loss, other(batch, 0).loss);
}

TEST(Trainer, ModelsThatDrawAreResumedBitForBitToo) {
  const TemporaryFolder folder;
  for (const std::string model : {"np", "bnp"}) {
    const nlohmann::ordered_json document{{"model", model},   {"dim_hid", 8}, {"batch", 2},
                                          {"max_points", 10}, {"steps", 6},   {"eval_every", 0},
                                          {"log_every", 100}, {"ema", 0.5},   {"threads", 1}};
    const Settings settings = parse_settings(document, "");
    train(settings, folder / (model + "unbroken"));
    train(settings, folder / (model + "broken"), 3);
    train(settings, folder / (model + "broken"));
    expect_same(result_of(folder / (model + "unbroken")), result_of(folder / (model + "broken")));
  }
}

TEST(Trainer, SeedsDecideAboutEverything) {
  const TemporaryFolder folder;
  const auto weights = [&](const std::string& name, int seed) {
    train(tiny_settings({{"seed", seed}, {"steps", 5}}), folder / name);
    return result_of(folder / name);
  };
  const Checkpoint first = weights("first", 1);
  expect_same(first, weights("second", 1));
  const Checkpoint other = weights("other", 2);
  EXPECT_NE(first.progress, other.progress);
}

// A predictor that knows nothing but the mean variance has -0.92; one that sees how large a function is, about -0.57.
TEST(Trainer, Learns) {
  const TemporaryFolder folder;
  const nlohmann::ordered_json document{{"model", "cnp"}, {"dim_hid", 32},      {"steps", 150}, {"lr", 5e-3},
                                        {"warmup", 20},   {"eval_batches", 40}, {"threads", 1}, {"clip", 1}};
  const runs::Progress progress = train(parse_settings(document, ""), folder / "run");
  EXPECT_GT(progress.log_likelihood.value(), -0.7);
}

TEST(Trainer, ADivergingLossStopsWithStepCheckpointAndHint) {
  const TemporaryFolder folder;
  const Settings settings = tiny_settings({{"lr", 1e14}, {"warmup", 0}, {"clip", 0}, {"save_every", 1}});
  const std::string message = error_message([&] { train(settings, folder / "run"); });
  EXPECT_NE(message.find("no longer a number at step "), std::string::npos) << message;
  EXPECT_NE(message.find("lower lr"), std::string::npos) << message;
  const auto checkpoint = runs::latest_checkpoint(runs::checkpoint_folder(folder / "run")).value();
  EXPECT_NE(message.find(checkpoint.string()), std::string::npos) << message;
  for (const auto& [name, tensor] : load_checkpoint(checkpoint).weights) {
    EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
  }
}

TEST(Trainer, RefusesFoldersThatAreTakenOrCanNotBe) {
  const TemporaryFolder folder;
  const Settings settings = tiny_settings({{"steps", 5}});
  train(settings, folder / "run");
  EXPECT_NE(error_message([&] { train(settings, folder / "run", 5, {}); }).find("holds a run already"),
            std::string::npos);
  const std::string other = error_message([&] {
    train(tiny_settings({{"steps", 5}, {"d_model", 12}}), folder / "run");
  });
  EXPECT_NE(other.find("has d_model 8, not 12"), std::string::npos) << other;
  folder.write("file", "");
  const std::string taken = error_message([&] { train(settings, folder / "file", 5, {}); });
  EXPECT_NE(taken.find("file"), std::string::npos) << taken;
  EXPECT_NE(error_message([&] { load_run(folder.path()); }).find("holds no training run"), std::string::npos);
}

TEST(Trainer, EvaluatesAndLoadsTheAveragedWeights) {
  const TemporaryFolder folder;
  const Settings settings = tiny_settings();
  const runs::Progress progress = train(settings, folder / "run");
  const EvaluationSet set = make_evaluation_set(*make_task(settings), {.batches = 2});
  EXPECT_EQ(evaluate(*load_run(folder / "run").model, set).log_likelihood, progress.log_likelihood.value());
  EXPECT_NE(evaluate(*load_run(folder / "run", false).model, set).log_likelihood, progress.log_likelihood.value());
}

// It learns something at first, and unlearns it at a rate that is far too high.
Settings soon_worse() {
  return tiny_settings(
      {{"keep", "best"}, {"lr", 1.0}, {"warmup", 8}, {"schedule", "constant"}, {"eval_every", 3}, {"steps", 14}});
}

TEST(Trainer, KeepsTheBestWeightsAndGoesOnFromTheLast) {
  const TemporaryFolder folder;
  const Settings settings = soon_worse();
  nlohmann::ordered_json as_ever = to_json(settings);
  as_ever["keep"] = "last";
  const runs::Progress progress = train(settings, folder / "best");
  train(parse_settings(as_ever, ""), folder / "last");
  const Checkpoint best = result_of(folder / "best"), last = result_of(folder / "last");
  expect_same(best, last);
  EXPECT_FALSE(last.kept.has_value());
  ASSERT_TRUE(best.kept.has_value());
  ASSERT_LT(best.kept->step, 14);
  EXPECT_EQ(best.kept->step, progress.best_step);
  EXPECT_GT(best.kept->log_likelihood, progress.log_likelihood.value());

  const EvaluationSet set = make_evaluation_set(*make_task(settings), {.batches = 2});
  const TrainedModel answers = load_run(folder / "best"), others = load_run(folder / "last");
  EXPECT_EQ(answers.step, best.kept->step);
  EXPECT_EQ(answers.last_step, 14);
  EXPECT_EQ(others.step, 14);
  EXPECT_EQ(evaluate(*answers.model, set).log_likelihood, progress.best_log_likelihood.value());
  EXPECT_EQ(evaluate(*others.model, set).log_likelihood, progress.log_likelihood.value());
  for (const auto& item : load_run(folder / "best", false).model->named_parameters()) {
    EXPECT_TRUE(torch::equal(item.value(), best.weights.at(item.key()))) << item.key();
  }
}

TEST(Trainer, KeepsTheSameWhenInterrupted) {
  const TemporaryFolder folder;
  const Settings settings = soon_worse();
  train(settings, folder / "unbroken");
  for (const std::int64_t until : {1, 3, 4, 5, 9, 100}) train(settings, folder / "broken", until);
  expect_same(result_of(folder / "unbroken"), result_of(folder / "broken"));
  expect_same_kept(result_of(folder / "unbroken"), result_of(folder / "broken"));
  EXPECT_EQ(metrics_of(folder / "unbroken"), metrics_of(folder / "broken"));
}

// Its step is saved already when the evaluation ends.
TEST(Trainer, KeepsWhatAnEvaluationFindsThatWasMadeUpFor) {
  const TemporaryFolder folder;
  const Settings settings = soon_worse();
  train(settings, folder / "run", 3);
  EXPECT_FALSE(result_of(folder / "run").kept.has_value());
  for (int kills = 0; kills < 2; ++kills) {
    TaskProblem problem(settings);
    runs::Run run(problem, folder / "run", {runs::Resume::yes});
    EXPECT_EQ(run.progress().evaluation_due, kills == 0);
    runs::Calls calls;
    calls.should_stop = [&] { return run.progress().evaluated_step == 3; };
    run.go(calls);
    const Checkpoint saved = result_of(folder / "run");
    EXPECT_EQ(saved.step, 3);
    ASSERT_TRUE(saved.kept.has_value());
    EXPECT_EQ(saved.kept->step, 3);
    EXPECT_EQ(load_run(folder / "run").step, 3);
  }
  train(settings, folder / "run");
  train(settings, folder / "unbroken");
  expect_same_kept(result_of(folder / "unbroken"), result_of(folder / "run"));
}

TEST(Trainer, KeepingTheBestNeedsEvaluations) {
  const std::string message = error_message([] { tiny_settings({{"keep", "best"}, {"eval_every", 0}}); });
  EXPECT_NE(message.find("eval_every 0 makes none"), std::string::npos) << message;
  EXPECT_EQ(tiny_settings().keep, "last");
}

TEST(MultiplyAdds, CountsProductsForwardAndBackward) {
  const torch::Tensor a = torch::randn({2, 3, 5}, torch::requires_grad()), b = torch::randn({2, 5, 7});
  EXPECT_EQ(count_multiply_adds([&] { torch::matmul(a, b); }), 2 * 3 * 5 * 7);
  EXPECT_EQ(count_multiply_adds([&] { torch::matmul(a, b).sum().backward(); }), 2 * (2 * 3 * 5 * 7));
  EXPECT_EQ(count_multiply_adds([&] {
              torch::linear(torch::randn({4, 3}), torch::randn({6, 3}), torch::randn({6}));
            }),
            4 * 3 * 6);
}

}  // namespace
}  // namespace cmanp::training

// Evaluation sets are the same every time, from the cache too; their limits are the published ones.
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tiny_settings.hpp"
#include "training/evaluation/evaluate.hpp"
#include "training/tasks/gp_task.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using testing::TemporaryFolder;

void expect_equal(const EvaluationSet& left, const EvaluationSet& right, std::size_t batches) {
  for (std::size_t k = 0; k < batches; ++k) {
    const Batch &a = left.batches[k].batch, &b = right.batches[k].batch;
    EXPECT_TRUE(torch::equal(a.xc, b.xc) && torch::equal(a.yc, b.yc)) << k;
    EXPECT_TRUE(torch::equal(a.xt, b.xt) && torch::equal(a.yt, b.yt)) << k;
    ASSERT_EQ(left.batches[k].limits.has_value(), right.batches[k].limits.has_value());
    if (left.batches[k].limits) {
      EXPECT_EQ(left.batches[k].limits->joint, right.batches[k].limits->joint);
      EXPECT_EQ(left.batches[k].limits->marginal, right.batches[k].limits->marginal);
    }
  }
}

TEST(EvaluationSet, IsFixedBySeedAndKept) {
  const TemporaryFolder folder;
  const GpTask task({.kernel = "matern"});
  const EvaluationSet first = cached_evaluation_set(task, {.seed = 3, .batches = 12, .cache = folder / "sets"});
  bool made_again = false;
  const EvaluationSet second = cached_evaluation_set(
      task, {.seed = 3, .batches = 12, .cache = folder / "sets", .progress = [&](std::size_t) { made_again = true; }});
  EXPECT_FALSE(made_again);
  ASSERT_EQ(second.batches.size(), 12U);
  expect_equal(first, second, 12);
  expect_equal(make_evaluation_set(task, {.seed = 3, .batches = 5}), first, 5);  // the beginning of the longer one
  EXPECT_FALSE(torch::equal(make_evaluation_set(task, {.seed = 4, .batches = 1}).batches[0].batch.xc,
                            first.batches[0].batch.xc));
}

TEST(EvaluationSet, DamagedFilesAreNamed) {
  const TemporaryFolder folder;
  const GpTask task({}), noisy({.t_noise = 0.1});
  const EvaluationSetOptions options{.batches = 2, .cache = folder.path()};
  cached_evaluation_set(noisy, options);
  EXPECT_FALSE(cached_evaluation_set(noisy, options).batches[0].limits.has_value());
  const auto file = folder.path() / "gp-rbf-paper-code-50x16-seed0-2.safetensors";
  cached_evaluation_set(task, options);
  const std::string bytes = testing::read_file(file);
  folder.write(file.filename().string(), bytes.substr(0, bytes.size() - 9));
  EXPECT_NE(error_message([&] { cached_evaluation_set(task, options); }).find(file.string()), std::string::npos);
  // A set of another task under this one's name.
  std::filesystem::copy_file(folder.path() / "gp-rbf-paper-code-t0.1-50x16-seed0-2.safetensors", file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(error_message([&] { cached_evaluation_set(task, options); }).find("remove the file"), std::string::npos);
}

// 400 batches have a standard error of about 0.02.
TEST(EvaluationSet, LimitsAreThoseOfTheExactProcess) {
  const auto limits = [](const std::string& kernel) {
    Limits sum;
    for (const auto& batch : make_evaluation_set(GpTask({.kernel = kernel}), {.batches = 400}).batches) {
      sum.joint += batch.limits->joint / 400;
      sum.marginal += batch.limits->marginal / 400;
    }
    return sum;
  };
  const Limits rbf = limits("rbf"), matern = limits("matern");
  EXPECT_NEAR(rbf.joint, 1.83, 0.1);
  EXPECT_NEAR(rbf.marginal, 1.53, 0.1);
  EXPECT_NEAR(matern.joint, 1.37, 0.1);
  EXPECT_NEAR(matern.marginal, 1.11, 0.1);
}

// One answer serves both; where it is drawn, the draws of the likelihood are those of the prediction.
TEST(Evaluate, TheLikelihoodAndThePredictionAreOfTheSameAnswer) {
  const Settings settings = testing::tiny_settings({{"max_points", 12}});
  const EvaluationSet set = make_evaluation_set(*make_task(settings), {.batches = 1});
  const Batch& batch = set.batches[0].batch;
  const torch::NoGradGuard no_grad;
  for (const std::string name : {"cnp", "np", "anp", "bnp", "banp", "cmanp", "cmanpand"}) {
    const bool is_cmanp = name.starts_with("cmanp");
    const auto model = make_model(name, is_cmanp ? settings.config : ModelConfig{.eval_num_samples = 3}, 1);
    model->eval();
    const auto anew = [&]() -> NeuralProcess& {
      model->use(at::detail::createCPUGenerator(7));
      return *model;
    };
    const Judged judged = anew().judge(batch);
    EXPECT_TRUE(judged.log_likelihood.equal(anew().log_likelihood(batch))) << name;
    const Prediction each = anew().predict_each(batch.xc, batch.yc, batch.xt);
    EXPECT_TRUE(judged.each.mean.equal(each.mean)) << name;
    EXPECT_TRUE(judged.each.std.equal(each.std)) << name;
    EXPECT_EQ(judged.each.mean.sizes(), batch.yt.sizes()) << name;
  }
}

TEST(Evaluate, IsThePlainMeanOverBatchesAndRepeatable) {
  const Settings settings = testing::tiny_settings({{"max_points", 12}});
  const EvaluationSet set = make_evaluation_set(*make_task(settings), {.batches = 6});
  for (const std::string name : {"cmanp", "np", "banp"}) {
    const auto model = make_model(name, name == "cmanp" ? settings.config : ModelConfig{.eval_num_samples = 3}, 1);
    const Evaluation first = evaluate(*model, set), again = evaluate(*model, set);
    EXPECT_EQ(first.log_likelihood, again.log_likelihood) << name;  // latents and bootstraps included
    EXPECT_EQ(first.batches, 6U);
    EXPECT_EQ(first.tasks, 24U);
    ASSERT_TRUE(first.limits.has_value());
    EXPECT_LT(first.log_likelihood, first.limits->joint);  // untrained
    if (name != "cmanp") continue;
    const torch::NoGradGuard no_grad;
    double sum = 0, squares = 0;
    for (const EvaluationBatch& batch : set.batches) {
      const double score = model->log_likelihood(batch.batch).item<double>();
      sum += score;
      squares += score * score;
    }
    EXPECT_NEAR(first.log_likelihood, sum / 6, 1e-9);
    EXPECT_NEAR(first.standard_error.value(), std::sqrt((squares / 6 - sum * sum / 36) / 5), 1e-6);
    const EvaluationSet one_batch = make_evaluation_set(*make_task(settings), {.batches = 1});
    EXPECT_FALSE(evaluate(*model, one_batch).standard_error);  // nothing to tell it by
  }
}

}  // namespace
}  // namespace cmanp::training

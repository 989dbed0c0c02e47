// What must hold for any weights: invariances, chunked contexts, blocks of targets, samples.
#include <gtest/gtest.h>

#include <ATen/CPUGeneratorImpl.h>

#include "support/error_message.hpp"
#include "training/fixtures.hpp"
#include "training/models/cmanp_and.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/models/tnp_trunk.hpp"
#include "training/modules/growing_context.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using training::Batch;
using training::ModelConfig;

double distance(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

std::shared_ptr<training::NeuralProcess> double_model(const std::string& name, const ModelConfig& config) {
  const auto model = training::make_model(name, config, 4);
  model->to(torch::kFloat64);
  return model;
}

class Properties : public ::testing::TestWithParam<std::string> {
 protected:
  torch::NoGradGuard no_grad_;
};

class OrderInvariance : public Properties {};
class Independence : public Properties {};

TEST_P(OrderInvariance, OrderOfTheContextDoesNotMatter) {
  const ModelConfig config = tiny_config();
  const auto model = double_model(GetParam(), config);
  Batch batch = random_batch(config, 2, 9, 4, 6);
  // Latents at their mean.
  model->use(formula_randomness());
  const double before = model->log_likelihood(batch).item<double>(), loss = model->loss(batch).item<double>();
  batch.xc = batch.xc.flip(1);
  batch.yc = batch.yc.flip(1);
  EXPECT_NEAR(model->log_likelihood(batch).item<double>(), before, 1e-9 * std::max(1.0, std::abs(before)));
  EXPECT_NEAR(model->loss(batch).item<double>(), loss, 1e-9 * std::max(1.0, std::abs(loss)));
}

// Some models keep what they have made of a context, for when it grows.
TEST_P(Properties, AContextThatGrowsIsAnsweredAsAnyOther) {
  const ModelConfig config = tiny_config();
  const auto model = double_model(GetParam(), config), other = double_model(GetParam(), config);
  training::keep_points(*model, true);
  const Batch batch = random_batch(config, 2, 9, 4, 6);
  for (const std::int64_t points : {3, 4, 4, 9, 2}) {
    const Tensor x = batch.xc.narrow(1, 0, points), y = batch.yc.narrow(1, 0, points);
    model->use(formula_randomness());
    other->use(formula_randomness());
    EXPECT_LT(distance(model->predict_each(x, y, batch.xt).mean, other->predict_each(x, y, batch.xt).mean), 1e-12)
        << points;
  }
}

TEST_P(Independence, TargetsArePredictedByThemselves) {
  const std::string& name = GetParam();
  const ModelConfig config = tiny_config();
  const auto model = double_model(name, config);
  model->use(formula_randomness());
  const Batch batch = random_batch(config, 2, 6, 5, 6);
  const auto all = model->predict(batch.xc, batch.yc, batch.xt);
  const auto one = model->predict(batch.xc, batch.yc, batch.xt.narrow(1, 3, 1));
  EXPECT_LT(distance(all.mean.narrow(1, 3, 1), one.mean), 1e-12);
  EXPECT_LT(distance(all.std.narrow(1, 3, 1), one.std), 1e-12);
}

TEST_P(Properties, SamplesFollowThePrediction) {
  const std::string& name = GetParam();
  ModelConfig config = tiny_config();
  config.eval_num_samples = 2000;
  config.AND_block_size = 0;
  const auto model = double_model(name, config);
  const Batch batch = random_batch(config, 2, 6, 3, 6);
  const auto generator = [] { return at::detail::createCPUGenerator(12); };
  constexpr std::int64_t draws = 2000;
  const Tensor samples = model->samples(batch.xc, batch.yc, batch.xt, draws, generator());
  ASSERT_EQ(samples.sizes(), (std::vector<std::int64_t>{draws, 2, 3, 2}));
  const auto prediction = model->predict(batch.xc, batch.yc, batch.xt);
  // Means of 2000 draws lie within five standard errors; deviations have errors of about 1.6 %.
  EXPECT_LT(((samples.mean(0) - prediction.mean) / prediction.std).abs().max().item<double>(),
            5 / std::sqrt(draws) * 1.5);
  EXPECT_LT((samples.std(0) / prediction.std - 1).abs().max().item<double>(), 0.12);
  EXPECT_TRUE(samples.equal(model->samples(batch.xc, batch.yc, batch.xt, draws, generator())));
}

const auto model_name_of = [](const auto& test) { return test.param; };

INSTANTIATE_TEST_SUITE_P(Models, Properties, ::testing::ValuesIn(training::model_names()), model_name_of);
// Bootstraps pick points by their place, so that order is a matter of chance there.
INSTANTIATE_TEST_SUITE_P(Models, OrderInvariance, ::testing::ValuesIn(models_but({"bnp", "banp"})), model_name_of);
// In the others targets see each other.
INSTANTIATE_TEST_SUITE_P(Models, Independence,
                         ::testing::ValuesIn(models_but({"tnpa", "tnpnd", "lbanpnd", "cmanpand"})), model_name_of);

class Cmanp : public ::testing::Test {
 protected:
  ModelConfig config_ = [] {
    ModelConfig config = tiny_config();
    config.latent_dim = 6;
    config.layer_latent_dim = 5;
    config.fourier_features = 1;
    return config;
  }();
  torch::NoGradGuard no_grad_;
};

// TNP-D has answers at its context points, too, and learns to tell there what noise hides; the others do not.
TEST(NoiseInContexts, IsLearntToBeSeenThroughByTnpD) {
  const ModelConfig config = tiny_config();
  Batch batch = random_batch(config, 2, 6, 5, 6), hidden = batch;
  hidden.yc_without_noise = batch.yc + 1;
  const auto lbanp = double_model("lbanp", config), tnp = double_model("tnpd", config);
  EXPECT_EQ(lbanp->loss(hidden).item<double>(), lbanp->loss(batch).item<double>());

  auto& trunk = dynamic_cast<training::TnpTrunk&>(dynamic_cast<training::DiagonalModel&>(*tnp).trunk());
  const Tensor tokens = torch::cat({trunk.embed(batch.xc, batch.yc), trunk.embed(batch.xt)}, 1);
  const Tensor raw =
      tnp->named_children()["predictor"]->as<training::Mlp>()->forward(trunk.encoder().forward(tokens, 6));
  const training::Normal answers = training::normal_from(raw, config);
  const Tensor truth = torch::cat({hidden.yc_without_noise, batch.yt}, 1);
  const Tensor expected = -training::log_density(answers, truth).mean();
  EXPECT_NEAR(tnp->loss(hidden).item<double>(), expected.item<double>(), 1e-12);
  EXPECT_GT(std::abs(tnp->loss(batch).item<double>() - expected.item<double>()), 1e-3);
}

TEST(JointNormal, WithoutRoomItIsRefusedWithItsSize) {
  const torch::NoGradGuard no_grad;
  ModelConfig config = tiny_config();
  config.dim_y = 3;
  const auto model = training::make_model("lbanpnd", config, 4);
  const Tensor xc = torch::zeros({1, 2, config.dim_x}), yc = torch::zeros({1, 2, 3});
  const Tensor xt = torch::zeros({1, 1000000, config.dim_x});
  EXPECT_NE(error_message([&] { model->predict(xc, yc, xt); }).find("3000000 x 3000000"), std::string::npos);
}

TEST_F(Cmanp, AnyChunkGivesTheSame) {
  const auto model = double_model("cmanp", config_);
  const Batch batch = random_batch(config_, 2, 37, 4, 6);
  const double at_once = -model->loss(batch).item<double>();  // one softmax
  for (const std::int64_t chunk : {0, 1, 5, 16, 37, 100}) {
    model->settings().CMAB_block_size = chunk;
    EXPECT_NEAR(model->log_likelihood(batch).item<double>(), at_once, 1e-12 * std::abs(at_once)) << chunk;
  }
}

TEST_F(Cmanp, UpdateIsRecompute) {
  const auto model = double_model("cmanp", config_);
  auto& trunk = dynamic_cast<training::CmanpTrunk&>(dynamic_cast<training::DiagonalModel&>(*model).trunk());
  const Batch batch = random_batch(config_, 2, 37, 4, 6);
  auto updated = trunk.empty_state(), whole = trunk.empty_state();
  trunk.observe(updated, batch.xc.narrow(1, 0, 20), batch.yc.narrow(1, 0, 20), 0);
  trunk.observe(updated, batch.xc.narrow(1, 20, 17), batch.yc.narrow(1, 20, 17), 0);
  trunk.observe(whole, batch.xc, batch.yc, 0);
  const auto a = trunk.latents(updated, 2), b = trunk.latents(whole, 2);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(distance(a[i], b[i]), 1e-12);
}

TEST_F(Cmanp, MergedStatesAreOneContext) {
  const auto model = double_model("cmanp", config_);
  auto& trunk = dynamic_cast<training::CmanpTrunk&>(dynamic_cast<training::DiagonalModel&>(*model).trunk());
  const Batch batch = random_batch(config_, 2, 12, 4, 6);
  auto first = trunk.empty_state(), second = trunk.empty_state(), whole = trunk.empty_state();
  trunk.observe(first, batch.xc.narrow(1, 0, 5), batch.yc.narrow(1, 0, 5), 0);
  trunk.observe(second, batch.xc.narrow(1, 5, 7), batch.yc.narrow(1, 5, 7), 0);
  trunk.observe(whole, batch.xc, batch.yc, 0);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto merged = merge(second[i], first[i]);
    EXPECT_LT(distance(log_normaliser(merged), log_normaliser(whole[i])), 1e-12);
    EXPECT_LT(distance(read(merged, whole[i].weighted), read(whole[i], whole[i].weighted)), 1e-12);
  }
}

TEST_F(Cmanp, AnswersWithoutContext) {
  const auto model = double_model("cmanp", config_);
  const Batch batch = random_batch(config_, 2, 0, 4, 6);
  const double evaluated = model->log_likelihood(batch).item<double>();
  EXPECT_TRUE(std::isfinite(evaluated));
  EXPECT_NEAR(-model->loss(batch).item<double>(), evaluated, 1e-12 * std::abs(evaluated));
}

TEST_F(Cmanp, OneBlockIsJointAndManyAreTheChainRule) {
  const auto model = double_model("cmanpand", config_);
  const Batch batch = random_batch(config_, 2, 9, 5, 6);
  const double joint = -model->loss(batch).item<double>() / 5;
  for (const std::int64_t block : {0, 5, 100}) {
    model->settings().AND_block_size = block;
    EXPECT_NEAR(model->log_likelihood(batch).item<double>(), joint, 1e-9 * std::abs(joint)) << block;
  }
  // One target at a time: each given the context and the targets before it.
  model->settings().AND_block_size = 1;
  double sum = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const Tensor xc = torch::cat({batch.xc, batch.xt.narrow(1, 0, i)}, 1);
    const Tensor yc = torch::cat({batch.yc, batch.yt.narrow(1, 0, i)}, 1);
    sum += model->log_likelihood({xc, yc, batch.xt.narrow(1, i, 1), batch.yt.narrow(1, i, 1)}).item<double>();
  }
  EXPECT_NEAR(model->log_likelihood(batch).item<double>(), sum / 5, 1e-9 * std::abs(sum));
}

}  // namespace
}  // namespace cmanp::testing

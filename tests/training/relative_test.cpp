// Relative coordinates: only differences of x count, whatever the weights; an empty context, chunks, orders; the exact
// loss against its formula and against many draws.
#include <gtest/gtest.h>

#include <ATen/CPUGeneratorImpl.h>

#include "support/error_message.hpp"
#include "training/fixtures.hpp"
#include "training/gradient_check.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/models/relative_trunk.hpp"
#include "training/modules/densities.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using training::Batch;
using training::ModelConfig;
using training::Prediction;

double apart(const Tensor& a, const Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

ModelConfig relative_config(std::int64_t dim_x = 1, std::int64_t dim_y = 1) {
  ModelConfig config = tiny_config(dim_x, dim_y);
  config.coordinates = Coordinates::relative;
  config.residual = Residual::plain;
  config.spacing = 0.4;
  config.range_low = -1;
  config.range_high = 1;
  config.latent_dim = config.layer_latent_dim = 0;
  return config;
}

// Points within the range, as doubles, so that a shift of them is exact.
Batch points(const ModelConfig& config, std::int64_t context, torch::Dtype type) {
  Batch batch = random_batch(config, 2, context, 5, 3);
  for (Tensor* x : {&batch.xc, &batch.xt}) *x = (x->tanh() * 1024).round() / 1024;
  batch.yc = batch.yc.to(type);
  batch.yt = batch.yt.to(type);
  return batch;
}

struct Case {
  const char* model;
  std::int64_t dim_x;
};

class Relative : public ::testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<training::NeuralProcess> model(torch::Dtype type) {
    const auto made = training::make_model(GetParam().model, config_, 4);
    made->to(type);
    return made;
  }

  ModelConfig config_ = relative_config(GetParam().dim_x);
  torch::NoGradGuard no_grad_;
};

// As if the range had been told: in evaluation, and in a training step.
TEST_P(Relative, TheGridCoversWhatLiesBeyondTheRange) {
  const auto here = model(torch::kFloat64);
  Batch batch = points(config_, 7, torch::kFloat64);
  batch.xt = 3 * batch.xt;
  const double low = std::min(batch.xt.min().item<double>(), -1.0), high = std::max(batch.xt.max().item<double>(), 1.0);
  ASSERT_GT(high - low, 3);
  const auto answers = [&] {
    here->use(at::detail::createCPUGenerator(5));
    return std::pair{here->log_likelihood(batch).item<double>(), here->loss(batch).item<double>()};
  };
  if (config_.dim_x > 1) return;  // a box is told as one range for every x
  const auto untold = answers();
  here->settings().range_low = low;
  here->settings().range_high = high;
  const auto told = answers();
  EXPECT_NEAR(told.second, untold.second, 1e-12);
  // cmanpand's likelihood goes block by block through a state, whose grid is that of the range alone.
  if (std::string(GetParam().model) != "cmanpand") {
    EXPECT_NEAR(told.first, untold.first, 1e-12);
  }
  if (std::string(GetParam().model) == "tnpd") return;  // it has no latents that a range could be for
  here->settings().range_low = low - 3;
  EXPECT_GT(std::abs(answers().second - untold.second), 1e-9);  // so the range matters
}

// Shifted x and range, in the float that models are trained in.
TEST_P(Relative, AShiftOfAllXChangesNothing) {
  const auto here = model(torch::kFloat32);
  const Batch batch = points(config_, 7, torch::kFloat32);
  const Prediction before = here->predict(batch.xc, batch.yc, batch.xt);
  const double score = here->log_likelihood(batch).item<double>();
  for (const double shift : {0.25, -64.0, 1e6}) {
    here->settings().range_low = config_.range_low + shift;
    here->settings().range_high = config_.range_high + shift;
    Batch there = batch;
    there.xc = batch.xc + shift;
    there.xt = batch.xt + shift;
    const Prediction after = here->predict(there.xc, there.yc, there.xt);
    EXPECT_LT(apart(after.mean, before.mean), 1e-6) << shift;
    EXPECT_LT(apart(after.std, before.std), 1e-6) << shift;
    EXPECT_NEAR(here->log_likelihood(there).item<double>(), score, 1e-5) << shift;
  }
}

TEST_P(Relative, OrderOfTheContextDoesNotMatter) {
  const auto net = model(torch::kFloat64);
  const Batch batch = points(config_, 7, torch::kFloat64);
  const Prediction one = net->predict(batch.xc, batch.yc, batch.xt);
  const Prediction other = net->predict(batch.xc.flip(1), batch.yc.flip(1), batch.xt);
  EXPECT_LT(apart(one.mean, other.mean), 1e-12);
  EXPECT_LT(apart(one.std, other.std), 1e-12);
}

TEST_P(Relative, AnyChunkGivesTheSame) {
  const auto net = model(torch::kFloat64);
  const Batch batch = points(config_, 37, torch::kFloat64);
  const Prediction whole = net->predict(batch.xc, batch.yc, batch.xt);
  for (const std::int64_t chunk : {1, 5, 16, 37, 100}) {
    net->settings().CMAB_block_size = chunk;
    EXPECT_LT(apart(net->predict(batch.xc, batch.yc, batch.xt).mean, whole.mean), 1e-12) << chunk;
  }
}

TEST_P(Relative, AnswersWithoutContext) {
  const auto net = model(torch::kFloat64);
  const Batch batch = points(config_, 0, torch::kFloat64);
  EXPECT_TRUE(net->log_likelihood(batch).isfinite().item<bool>());
  EXPECT_TRUE(net->loss(batch).isfinite().item<bool>());
}

TEST_P(Relative, TheContextIsRead) {
  const auto net = model(torch::kFloat64);
  const Batch batch = points(config_, 7, torch::kFloat64);
  const Tensor mean = net->predict(batch.xc, batch.yc, batch.xt).mean;
  EXPECT_GT(apart(net->predict(batch.xc, -batch.yc, batch.xt).mean, mean), 1e-3);
  EXPECT_GT(apart(net->predict(batch.xc.flip(1), batch.yc, batch.xt).mean, mean), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, Relative,
                         ::testing::Values(Case{"cmanp", 1}, Case{"cmanp", 2}, Case{"cmanpand", 1}, Case{"cmanpand", 2},
                                           Case{"lbanp", 1}, Case{"lbanp", 2}, Case{"tnpd", 1}, Case{"tnpd", 2}),
                         [](const auto& instance) {
                           return std::string(instance.param.model) + std::to_string(instance.param.dim_x);
                         });

// In training everything is at once, in evaluation a state is read: the same where the grids are.
TEST(RelativeTrunk, TrainingAndEvaluationAgree) {
  const ModelConfig config = relative_config();
  const auto model = training::make_model("cmanp", config, 4);
  model->to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  const Batch batch = points(config, 9, torch::kFloat64);
  auto& trunk = dynamic_cast<training::DiagonalModel&>(*model).trunk();
  for (const std::int64_t context : {0, 9}) {
    const Tensor x = batch.xc.narrow(1, 0, context), y = batch.yc.narrow(1, 0, context);
    // The first training grid is that of evaluation, before any is drawn.
    EXPECT_LT(apart(trunk.encode(x, y, batch.xt, training::Mode::training),
                    trunk.encode(x, y, batch.xt, training::Mode::evaluation)),
              1e-12);
  }
}

TEST(RelativeTrunk, MergedStatesAreOneContext) {
  const ModelConfig config = relative_config();
  const auto model = training::make_model("cmanp", config, 4);
  model->to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  const Batch batch = points(config, 12, torch::kFloat64);
  auto& trunk = dynamic_cast<training::ContextReader&>(dynamic_cast<training::DiagonalModel&>(*model).trunk());
  auto first = trunk.empty_state(), second = trunk.empty_state(), whole = trunk.empty_state();
  trunk.observe(first, batch.xc.narrow(1, 0, 5), batch.yc.narrow(1, 0, 5), 0);
  trunk.observe(second, batch.xc.narrow(1, 5, 7), batch.yc.narrow(1, 5, 7), 0);
  trunk.observe(whole, batch.xc, batch.yc, 0);
  for (std::size_t i = 0; i < whole.size(); ++i) first[i] = merge(second[i], first[i]);
  EXPECT_LT(apart(trunk.encode(first, batch.xt), trunk.encode(whole, batch.xt)), 1e-12);
}

TEST(RelativeTrunk, FarFromAllDataIsThePrior) {
  ModelConfig config = relative_config();
  config.range_high = 400;
  const auto model = training::make_model("cmanp", config, 4);
  model->to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  const Batch batch = points(config, 9, torch::kFloat64);
  const Tensor far = torch::full({2, 1, 1}, 390.0, torch::kFloat64);
  const Tensor none = batch.xc.narrow(1, 0, 0), no_y = batch.yc.narrow(1, 0, 0);
  EXPECT_LT(apart(model->predict(batch.xc, batch.yc, far).mean, model->predict(none, no_y, far).mean), 1e-9);
}

TEST(RelativeTrunk, AbsoluteFeaturesKnowX) {
  ModelConfig config = relative_config();
  config.absolute_features = true;
  const auto model = training::make_model("cmanp", config, 4);
  const torch::NoGradGuard no_grad;
  const Batch batch = points(config, 9, torch::kFloat32);
  const Tensor before = model->predict(batch.xc, batch.yc, batch.xt).mean;
  model->settings().range_low += 1;
  model->settings().range_high += 1;
  EXPECT_GT(apart(model->predict(batch.xc + 1, batch.yc, batch.xt + 1).mean, before), 1e-3);
}

// What is no place is known as it is, moves with nothing, and lies on no grid.
TEST(RelativeTrunk, FeaturesAreNoPlaces) {
  ModelConfig config = relative_config();
  config.dim_x += 1, config.features = 1;
  const auto model = training::make_model("cmanp", config, 4);
  const torch::NoGradGuard no_grad;
  const Batch batch = points(config, 9, torch::kFloat32);
  const Tensor before = model->predict(batch.xc, batch.yc, batch.xt).mean;
  const auto features = [](const Tensor& x) { return x.narrow(-1, x.size(-1) - 1, 1); };
  Tensor asked = batch.xt.clone(), seen = batch.xc.clone();
  features(asked).add_(1000);  // would be far outside of any range
  EXPECT_GT(apart(model->predict(batch.xc, batch.yc, asked).mean, before), 1e-3);
  features(seen).add_(1);
  EXPECT_GT(apart(model->predict(seen, batch.yc, batch.xt).mean, before), 1e-4);
  asked = batch.xt.clone(), seen = batch.xc.clone();
  asked.narrow(-1, 0, config.axes()).add_(1);
  seen.narrow(-1, 0, config.axes()).add_(1);
  model->settings().range_low += 1;
  model->settings().range_high += 1;
  EXPECT_LT(apart(model->predict(seen, batch.yc, asked).mean, before), 1e-4);
}

TEST(Grid, CoversItsBox) {
  const training::Box box{{-2, 0}, {2, 1}};
  const training::Grid grid = training::Grid::over(box, 0.25);
  EXPECT_EQ(grid.count(0), 16 + 3);
  EXPECT_EQ(grid.count(1), 4 + 3);
  EXPECT_DOUBLE_EQ(grid.origin(0), -2.25);
  EXPECT_DOUBLE_EQ(grid.origin(1), -0.25);
  const Tensor places = grid.places(torch::zeros({1}, torch::kFloat64));
  EXPECT_EQ(places.sizes(), (std::vector<std::int64_t>{1, 19 * 7, 2}));
  EXPECT_EQ(places[0][8][0].item<double>(), 0.25);
  EXPECT_EQ(places[0][8][1].item<double>(), 0.25);
}

TEST(Grid, IsDrawnAnywhereAndStillCovers) {
  training::GeneratorSource random(at::detail::createCPUGenerator(5));
  double least = 1e9, most = -1e9;
  for (int i = 0; i < 200; ++i) {
    const training::Grid grid = training::Grid::drawn({{-2}, {2}}, 0.1, random.uniform(2));
    const double end = grid.origin(0) + 0.1 * static_cast<double>(grid.count(0) - 1);
    EXPECT_LE(grid.origin(0), -2.1);
    EXPECT_GE(end, 2.1 - 1e-9);
    least = std::min(least, grid.origin(0));
    most = std::max(most, grid.origin(0));
  }
  EXPECT_LT(least, -2.28);
  EXPECT_GT(most, -2.12);
}

TEST(RelativeGradient, OfALoss) {
  for (const std::int64_t dim_x : {1, 2}) {
    ModelConfig config = relative_config(dim_x);
    config.spacing = 1;
    config.num_layers = 1;
    for (const char* name : {"cmanp", "cmanpand", "lbanp", "tnpd"}) {
      const auto model = training::make_model(name, config, 4);
      model->to(torch::kFloat64);
      model->use(formula_randomness());
      const Batch batch = points(config, 4, torch::kFloat64);
      expect_gradients([&] { return model->loss(batch); }, parameters_of(*model, "predictor."), 1e-5);
    }
  }
}

TEST(ExactLoss, OfANormalIsItsFormula) {
  const auto of = [](double value) { return torch::full({1, 1, 1}, value, torch::kFloat64); };
  const training::Normal answer{of(0.3), of(0.7)};
  const training::Truth truth{of(-0.2), of(0.09), {}};
  const double wanted = -(std::log(0.7) + (0.09 + 0.25) / (2 * 0.49)) - 0.5 * std::log(2 * M_PI);
  EXPECT_NEAR(training::expected_log_density(answer, truth).item<double>(), wanted, 1e-12);
}

// Against draws of y.
TEST(ExactLoss, IsTheAverageOverDraws) {
  const auto generator = at::detail::createCPUGenerator(3);
  const auto normal = [&](std::vector<std::int64_t> shape) { return torch::randn(shape, generator, torch::kFloat64); };
  constexpr std::int64_t kSize = 4, kDraws = 200000;
  const auto factor = [&] { return (0.3 * normal({1, kSize, kSize})).tril(-1) + torch::eye(kSize, torch::kFloat64); };
  const Tensor true_factor = 0.5 * factor(), covariance = torch::matmul(true_factor, true_factor.transpose(1, 2));
  const training::Truth truth{normal({1, kSize}), {}, covariance};
  const training::MultivariateNormal joint{normal({1, kSize}), factor()};
  const Tensor y = truth.mean + torch::matmul(normal({kDraws, kSize}), true_factor[0].t());
  EXPECT_NEAR(training::expected_log_density(joint, truth).item<double>(),
              training::log_density(joint, y).mean().item<double>(), 0.02);
}

// A joint normal without correlations is independent ones, and blocks of a covariance are those of its points.
TEST(ExactLoss, BlocksAreTheirPointsTruth) {
  const Tensor root = torch::randn({2, 7, 7}, at::detail::createCPUGenerator(4), torch::kFloat64);
  const training::Truth all{
      torch::arange(14, torch::kFloat64).view({2, 7, 1}), {}, torch::matmul(root, root.transpose(1, 2))};
  const training::Truth last = training::Truth{all.mean, all.mean, all.covariance}.of_targets(6);
  const training::Truth blocks = last.in_blocks(0, 6, 3);
  ASSERT_EQ(blocks.covariance.sizes(), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_TRUE(blocks.mean[3].equal(all.mean[1].narrow(0, 4, 3).flatten()));
  EXPECT_TRUE(blocks.covariance[1].equal(all.covariance[0].narrow(0, 4, 3).narrow(1, 4, 3)));
  EXPECT_TRUE(blocks.covariance[2].equal(all.covariance[1].narrow(0, 1, 3).narrow(1, 1, 3)));
}

TEST(RelativeConfig, RefusesWhatCannotBe) {
  ModelConfig config = relative_config();
  const auto message = [&] { return error_message([&] { training::validate("cmanp", config); }); };
  EXPECT_EQ(message(), "(no error)");
  config.spacing = 0;
  EXPECT_NE(message().find("spacing"), std::string::npos);
  config.spacing = 1e-9;
  EXPECT_NE(message().find("latents"), std::string::npos);
  config.spacing = 0.1;
  config.range_high = config.range_low;
  EXPECT_NE(message().find("range_low"), std::string::npos);
  config.range_high = 1;
  config.latent_dim = 4;
  EXPECT_NE(message().find("latent_dim"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::testing

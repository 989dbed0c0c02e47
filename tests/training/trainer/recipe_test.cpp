// What goes beyond the published recipe: the inducing-point start, Muon, extra targets, weights of another model.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "training/export.hpp"
#include "training/inducing_start.hpp"
#include "training/tasks/gp_task.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/muon.hpp"
#include "training/trainer/training_step.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using testing::TemporaryFolder;

const Normalisation& unit() {
  static const Normalisation normalisation{{0}, {1}, {0}, {1}};
  return normalisation;
}

ModelConfig recipe_config() {
  ModelConfig config;
  config.d_model = 32;
  config.nhead = 2;
  config.num_layers = 2;
  config.dim_feedforward = 32;
  config.num_latents = 12;
  config.num_latents_per_layer = 8;
  config.residual = Residual::plain;
  config.fourier_features = 4;
  return config;
}

std::shared_ptr<NeuralProcess> started(const std::string& name, const ModelConfig& config, std::uint64_t seed = 1) {
  const auto model = make_model(name, config, 0);
  start_as_inducing_points(*model, seed, {});
  return model;
}

TEST(InducingStart, LatentsAreNormalisedEmbeddingsOfAGrid) {
  const auto model = started("cmanp", recipe_config());
  const auto parameters = model->named_parameters();
  for (const auto& [name, count] : {std::pair{"latents", 12}, {"encoder.layers.1.latents", 8}}) {
    const torch::Tensor tokens =
        model->embed(torch::linspace(-2, 2, count).view({1, count, 1}), torch::zeros({1, count, 1})).squeeze(0);
    EXPECT_TRUE(torch::allclose(parameters[name], torch::layer_norm(tokens, {32}, {}, {}, 1e-12), 1e-3, 1e-4)) << name;
  }
}

// From the first step on, the point that attends most to an observation is the latent that lies next to it.
TEST(InducingStart, LatentsAttendToTheirNeighbourhood) {
  const auto model = started("cmanp", recipe_config());
  const auto parameters = model->named_parameters();
  const std::string attention = "encoder.layers.0.layer_cross_attn.fn.";
  const torch::Tensor queries = parameters[attention + "to_q.weight"];
  const torch::Tensor keys = parameters[attention + "to_kv.weight"].narrow(0, 0, 32);
  EXPECT_TRUE(torch::equal(queries, keys));
  EXPECT_TRUE(torch::allclose(torch::mm(queries, queries.t()), 4 * torch::eye(32), 1e-4, 1e-4));
  const torch::Tensor grid = torch::linspace(-2, 2, 8), x = torch::tensor({-1.9F, -0.8F, 0.3F, 1.4F});
  const torch::Tensor tokens =
      torch::layer_norm(model->embed(x.view({1, 4, 1}), 0.2F * torch::ones({1, 4, 1})).squeeze(0), {32});
  const torch::Tensor scores =
      torch::mm(torch::mm(parameters["encoder.layers.0.latents"], queries.t()), torch::mm(tokens, keys.t()).t());
  const torch::Tensor nearest = (grid.unsqueeze(-1) - x).abs().argmin(0);
  EXPECT_TRUE(torch::equal(scores.argmax(0), nearest)) << scores;
}

TEST(InducingStart, QueriesAreEmbeddedAsObservations) {
  const auto parameters = started("lbanp", recipe_config())->named_parameters();
  EXPECT_TRUE(torch::equal(parameters["query_embedder.0.weight"], parameters["embedder.0.weight"].narrow(1, 0, 9)));
  EXPECT_TRUE(torch::equal(parameters["query_embedder.6.weight"], parameters["embedder.6.weight"]));
}

TEST(InducingStart, DependsOnTheSeedAndDrawsLayersByThemselves) {
  const auto one = started("cmanp", recipe_config(), 1)->named_parameters();
  const auto same = started("cmanp", recipe_config(), 1)->named_parameters();
  const auto other = started("cmanp", recipe_config(), 2)->named_parameters();
  EXPECT_TRUE(torch::equal(one["latents"], same["latents"]));
  EXPECT_FALSE(torch::equal(one["latents"], other["latents"]));
  EXPECT_FALSE(
      torch::equal(one["encoder.layers.0.cross_ff.fn.net.0.weight"], one["encoder.layers.1.cross_ff.fn.net.0.weight"]));
}

TEST(InducingStart, LeavesLatentsOfAnotherWidthSmallAndRandom) {
  ModelConfig config = recipe_config();
  config.latent_dim = 20;
  const auto parameters = started("cmanp", config)->named_parameters();
  EXPECT_NEAR(parameters["latents"].std().item<double>(), 0.1, 0.02);
}

TEST(InducingStart, IsRefusedForModelsWithoutLatents) {
  EXPECT_NE(error_message([] {
              parse_settings({{"model", "cnp"}, {"init", "inducing"}}, "test");
            }).find("not for cnp"),
            std::string::npos);
}

TEST(Muon, MakesSingularValuesAboutEqual) {
  torch::manual_seed(5);
  for (const auto& [rows, columns] : {std::pair{16, 16}, {24, 16}, {16, 40}}) {
    const torch::Tensor steps = orthogonalised(torch::randn({3, rows, columns}));
    const torch::Tensor values = torch::linalg_svdvals(steps);
    EXPECT_GT(values.min().item<double>(), 0.3);
    EXPECT_LT(values.max().item<double>(), 1.3);
  }
}

TEST(Muon, MovesInnerMatricesOnlyAndEachByASizeOfItsRate) {
  const auto model = make_model("cmanp", recipe_config(), 0);
  FlatParameters parameters(*model);
  const auto values = parameters.named(parameters.values());
  const Muon muon(values);
  EXPECT_TRUE(muon.moves("encoder.layers.0.cross_attn.fn.to_kv.weight"));
  for (const char* name : {"latents", "encoder.layers.0.latents", "embedder.0.weight", "predictor.2.weight",
                           "encoder.layers.0.cross_attn.norm.weight", "encoder.layers.0.cross_ff.fn.net.0.bias"}) {
    EXPECT_FALSE(muon.moves(name)) << name;
  }
  const torch::Tensor before = parameters.values().clone();
  const torch::Tensor gradients = torch::randn_like(before);
  muon.step(values, parameters.named(gradients), parameters.named(gradients), 1e-3);
  const auto moved = parameters.named(parameters.values() - before);
  for (const auto& [name, by] : moved) {
    const double size = by.square().mean().sqrt().item<double>();
    EXPECT_NEAR(size, muon.moves(name) ? 2e-4 : 0, 0.6e-4) << name;
  }
}

TEST(GpTask, ExtraTargetsAreOfTrainingOnly) {
  GpSettings settings;
  settings.batch = 2;
  settings.extra_targets = 100;
  const GpTask task(settings);
  for (std::uint64_t index = 0; index < 20; ++index) {
    Random training(7, Stream::training, index), evaluation(7, Stream::evaluation, index);
    const Batch batch = task.next(training);
    EXPECT_GE(batch.xt.size(1), 103);
    EXPECT_LT(batch.xc.size(1), 48);
    EXPECT_LT(task.next_for_evaluation(evaluation).batch.xt.size(1), 48);
  }
}

// Blocks of one target are targets by themselves; the draw of 1 to 1 leaves no other size.
TEST(TrainBlockSize, ScoresBlocksByThemselves) {
  ModelConfig config = recipe_config();
  config.train_block_size = 1;
  const auto model = make_model("cmanpand", config, 3);
  torch::manual_seed(4);
  const Batch batch{torch::randn({2, 6, 1}), torch::randn({2, 6, 1}), torch::randn({2, 5, 1}), torch::randn({2, 5, 1})};
  double sum = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    sum += model->loss({batch.xc, batch.yc, batch.xt.narrow(1, i, 1), batch.yt.narrow(1, i, 1)}).item<double>();
  }
  EXPECT_NEAR(model->loss(batch).item<double>(), sum, 1e-4);
  model->settings().train_block_size = 0;
  EXPECT_GT(std::abs(model->loss(batch).item<double>() - sum), 1e-3);
}

// Every target is scored once, whatever size is drawn and whatever is left over.
TEST(TrainBlockSize, LeavesNoTargetOut) {
  ModelConfig config = recipe_config();
  config.train_block_size = 4;
  const auto model = make_model("cmanpand", config, 3);
  const Batch batch{torch::randn({2, 6, 1}), torch::randn({2, 6, 1}), torch::randn({2, 7, 1}), torch::randn({2, 7, 1})};
  torch::Tensor xt = batch.xt.clone().requires_grad_();
  model->loss({batch.xc, batch.yc, xt, batch.yt}).backward();
  EXPECT_GT(xt.grad().abs().min().item<double>(), 0);
}

Settings and_settings() {
  Settings settings;
  settings.model = "cmanpand";
  settings.config = recipe_config();
  return settings;
}

TEST(TakeWeights, TakesThoseThatAgreeAndLeavesOthers) {
  const TemporaryFolder folder;
  const auto diagonal = started("cmanp", recipe_config());
  save_model(folder / "diagonal.cmanp", *diagonal, "{}", unit());
  const auto joint = fresh_model(and_settings());
  const torch::Tensor head = joint->named_parameters()["mean_net.0.weight"].clone();
  const std::int64_t taken = take_weights(*joint, folder / "diagonal.cmanp");
  EXPECT_GT(taken, diagonal->parameter_count() / 2);
  EXPECT_TRUE(torch::equal(joint->named_parameters()["latents"], diagonal->named_parameters()["latents"]));
  EXPECT_TRUE(torch::equal(joint->named_parameters()["mean_net.0.weight"], head));
}

// A grid of twice the spacing is the same model in other units of x: lengths and frequencies go along.
TEST(TakeWeights, BringsScalesFromOneGridToAnother) {
  const TemporaryFolder folder;
  ModelConfig config = recipe_config();
  config.coordinates = Coordinates::relative;
  config.fourier_features = 0;
  config.spacing = 0.25;
  const auto narrow = make_model("cmanp", config, 3);
  save_model(folder / "narrow.cmanp", *narrow, "{}", unit());
  config.spacing *= 2, config.range_low *= 2, config.range_high *= 2;
  const auto wide = make_model("cmanp", config, 4);
  take_weights(*wide, folder / "narrow.cmanp");
  const torch::NoGradGuard no_grad;
  const torch::Tensor xc = 4 * torch::rand({1, 9, 1}) - 2, yc = torch::randn({1, 9, 1}), xt = torch::rand({1, 5, 1});
  EXPECT_TRUE(torch::allclose(wide->predict(2 * xc, yc, 2 * xt).mean, narrow->predict(xc, yc, xt).mean, 1e-4, 1e-5));
}

TEST(TakeWeights, RefusesAModelThatSharesNothing) {
  const TemporaryFolder folder;
  save_model(folder / "other.cmanp", *make_model("cnp", {}, 0), "{}", unit());
  const auto joint = fresh_model(and_settings());
  EXPECT_NE(error_message([&] { take_weights(*joint, folder / "other.cmanp"); }).find("has no weights"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp::training

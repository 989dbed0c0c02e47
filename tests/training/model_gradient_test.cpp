// Every model's loss: its gradients against central differences.
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "training/fixtures.hpp"
#include "training/gradient_check.hpp"
#include "training/models/bootstrap_np.hpp"

namespace cmanp::testing {
namespace {

using training::ModelConfig;

void check_loss(const std::string& name, const ModelConfig& config) {
  const auto model = training::make_model(name, config, 3);
  model->to(torch::kFloat64);
  const auto batch = random_batch(config, 2, 4, 3, 5);
  // The same draws every time, so that the loss is a function of the weights alone.
  const auto loss = [&] {
    model->use(at::detail::createCPUGenerator(9));
    return model->loss(batch);
  };
  const bool has_unused = name == "lbanpnd" || name == "cmanpand";
  expect_gradients(loss, parameters_of(*model, has_unused ? "predictor." : ""), 1e-5);
}

class ModelGradient : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelGradient, OfTheLoss) {
  const std::string& name = GetParam();
  for (const bool bound : {false, true}) {
    ModelConfig config = tiny_config();
    config.bound_std = bound;
    check_loss(name, config);
  }
}

// BNP and BANP come below: part of their loss has no gradient by design.
INSTANTIATE_TEST_SUITE_P(Models, ModelGradient, ::testing::ValuesIn(models_but({"bnp", "banp"})),
                         [](const auto& test) { return test.param; });

TEST(ModelGradientVariants, FreedomsOfCmanp) {
  for (const char* name : {"cmanp", "cmanpand"}) {
    ModelConfig config = tiny_config();
    config.latent_dim = 6;
    config.layer_latent_dim = 5;
    config.residual = Residual::plain;
    config.fourier_features = 2;
    config.cov_approx = Covariance::lowrank;
    check_loss(name, config);
  }
}

TEST(ModelGradientVariants, SingleLatentSample) {
  ModelConfig config = tiny_config();
  config.train_num_samples = 1;
  check_loss("np", config);
}

TEST(ModelGradientVariants, BootstrapsAreConstants) {
  for (const char* name : {"bnp", "banp"}) {
    const ModelConfig config = tiny_config();
    const auto model = training::make_model(name, config, 3);
    model->to(torch::kFloat64);
    model->use(formula_randomness());
    auto& bootstrap_np = dynamic_cast<training::BootstrapNp&>(*model);
    const auto batch = random_batch(config, 2, 4, 3, 5);
    const auto randomness = formula_randomness();
    const torch::Tensor bootstraps = bootstrap_np.bootstrap(batch.xc, batch.yc, config.train_num_samples, *randomness);
    ASSERT_FALSE(bootstraps.requires_grad());
    expect_gradients([&] { return bootstrap_np.loss_given(batch, bootstraps); }, parameters_of(*model), 1e-5);
    // The whole loss has the same value and gradients.
    const torch::Tensor given = bootstrap_np.loss_given(batch, bootstraps), whole = model->loss(batch);
    EXPECT_EQ(whole.item<double>(), given.item<double>());
    const auto parameters = model->parameters();
    const auto of_given = torch::autograd::grad({given}, parameters),
               of_whole = torch::autograd::grad({whole}, parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) EXPECT_TRUE(of_given[i].allclose(of_whole[i], 1e-12, 1e-14));
  }
}

}  // namespace
}  // namespace cmanp::testing

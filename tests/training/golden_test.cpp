// Fixtures of the public implementation: likelihoods, predictions, and ten training losses with Adam.
#include <gtest/gtest.h>

#include <tuple>

#include "golden/golden_folder.hpp"
#include "training/fixtures.hpp"
#include "training/models/cmanp_trunk.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/state.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;

void expect_close(const Tensor& value, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  const double error = ((value - expected).abs() / expected.abs().clamp_min(1)).max().item<double>();
  EXPECT_LT(error, tolerance) << what;
}

class Goldens : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = golden_folder(std::get<1>(GetParam()));
    if (!std::filesystem::exists(folder))
      GTEST_SKIP() << "no fixtures at " << folder << "; set CMANP_GOLDEN to their folder";
  }
};

// The fixtures are float32; ours in float64 differ from them by their rounding only. Random covariance heads are
// ill-conditioned: likelihoods of -300.
constexpr double kRounding = 1e-5, kIllConditioned = 1e-3;

TEST_P(Goldens, AnswersAsThePublicImplementation) {
  const torch::NoGradGuard no_grad;
  const auto& [name, task] = GetParam();
  Golden golden = load_golden(name, task);
  golden.model->use(formula_randomness());
  const auto& numbers = golden.numbers;
  const auto& batch = golden.batch;
  const auto score = [&](const training::Batch& points) { return golden.model->log_likelihood(points).item<double>(); };
  const auto expect_score = [&](double value, double expected) {
    const bool ill_conditioned = name.ends_with("nd");
    EXPECT_NEAR(value, expected, (ill_conditioned ? kIllConditioned : kRounding) * std::max(1.0, std::abs(expected)));
  };
  if (numbers["tar_ll"].is_object()) {
    for (const auto& [block, expected] : numbers["tar_ll"].items()) {
      golden.model->settings().AND_block_size = std::stoi(block);
      expect_score(score(batch), expected.get<double>());
    }
  } else {
    expect_score(score(batch), numbers["tar_ll"].get<double>());
  }
  if (numbers.contains("ctx_ll")) {
    expect_score(score({batch.xc, batch.yc, batch.xc, batch.yc}), numbers["ctx_ll"].get<double>());
  }
  if (numbers.contains("mean")) {
    const auto prediction = golden.model->predict(batch.xc, batch.yc, batch.xt);
    expect_close(prediction.mean, tensor_from(numbers["mean"]), kRounding, "mean");
    expect_close(prediction.std, tensor_from(numbers["std"]), kRounding, "std");
  }
  if (numbers.contains("first_block_mean")) {
    const auto prediction = golden.model->predict(batch.xc, batch.yc, batch.xt.narrow(1, 0, 5));
    expect_close(prediction.mean.flatten(1), tensor_from(numbers["first_block_mean"]), kRounding, "block mean");
    expect_close(prediction.scale_tril, tensor_from(numbers["first_block_scale_tril"]), kRounding, "block factor");
  }
}

class GoldenStates : public Goldens {};
class GoldenTraining : public Goldens {};

TEST_P(GoldenStates, AreThePublicImplementations) {
  const torch::NoGradGuard no_grad;
  const auto& [name, task] = GetParam();
  Golden golden = load_golden(name, task);
  auto& trunk = dynamic_cast<training::CmanpTrunk&>(dynamic_cast<training::DiagonalModel&>(*golden.model).trunk());
  auto state = trunk.empty_state();
  trunk.observe(state, golden.batch.xc, golden.batch.yc, 4);
  const Tensor normaliser = tensor_from(golden.numbers["state_log_normaliser"]);
  const Tensor output = tensor_from(golden.numbers["state_output_before_projection"]);
  ASSERT_EQ(static_cast<std::int64_t>(state.size()), normaliser.size(0));
  for (std::int64_t block = 0; block < normaliser.size(0); ++block) {
    const training::AttentionState& of_block = state[static_cast<std::size_t>(block)];
    expect_close(log_normaliser(of_block).squeeze(-1), normaliser[block], kRounding, "log-normaliser");
    expect_close(read(of_block, output), output[block], kRounding, "output");
  }
}

TEST_P(GoldenTraining, TenLosses) {
  const auto& [name, task] = GetParam();
  Golden golden = load_golden(name, task, torch::kFloat32);
  ASSERT_EQ(golden.numbers["training"].size(), 10U);
  torch::optim::Adam adam(golden.model->parameters(), torch::optim::AdamOptions(5e-4).betas({0.9, 0.999}).eps(1e-8));
  golden.model->train();
  for (const auto& step : golden.numbers["training"]) {
    adam.zero_grad();
    const Tensor loss = golden.model->loss(batch_from(step, torch::kFloat32));
    const double expected = step["loss"].get<double>();
    EXPECT_NEAR(loss.item<double>(), expected,
                (name.ends_with("nd") ? 2e-3 : 1e-4) * std::max(1.0, std::abs(expected)));
    loss.backward();
    adam.step();
  }
}

const auto model_and_task = [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); };

INSTANTIATE_TEST_SUITE_P(Fixtures, Goldens,
                         ::testing::Combine(::testing::Values("cnp", "canp", "tnpd", "tnpnd", "tnpa", "eqtnp", "lbanp",
                                                              "lbanpnd", "cmanp", "cmanpand"),
                                            ::testing::ValuesIn(tasks)),
                         model_and_task);
// Those of the repository: of all models.
INSTANTIATE_TEST_SUITE_P(Small, Goldens,
                         ::testing::Combine(::testing::ValuesIn(training::model_names()), ::testing::Values("small")),
                         model_and_task);
INSTANTIATE_TEST_SUITE_P(Small, GoldenStates, ::testing::Values(std::tuple("cmanp", "small")), model_and_task);
INSTANTIATE_TEST_SUITE_P(Small, GoldenTraining,
                         ::testing::Combine(::testing::Values("cmanp", "cmanpand", "lbanp"),
                                            ::testing::Values("small")),
                         model_and_task);
INSTANTIATE_TEST_SUITE_P(Fixtures, GoldenStates,
                         ::testing::Combine(::testing::Values("cmanp"), ::testing::ValuesIn(tasks)), model_and_task);
INSTANTIATE_TEST_SUITE_P(Fixtures, GoldenTraining,
                         ::testing::Combine(::testing::Values("cmanp", "cmanpand", "lbanp"),
                                            ::testing::Values("gp", "celeba32")),
                         model_and_task);

}  // namespace
}  // namespace cmanp::testing

// The runtime, through its public interface and a model file, against what the public implementation answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/cmanp.hpp>
#include <cmath>

#include "golden/fixtures.hpp"
#include "golden/formula_values.hpp"
#include "runtime/engine.hpp"
#include "runtime/model_data.hpp"
#include "support/formula_weights.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

constexpr double diagonal_tolerance = 2e-5;   // float32 against float32
constexpr double relative_likelihood = 1e-3;  // covariance heads with random weights are ill-conditioned

Model through_a_file(const runtime::ModelData& data) {
  const TemporaryFolder folder;
  runtime::write_model(folder / "model.safetensors", data);
  return Model::load(folder / "model.safetensors");
}

Context conditioned(const Model& model, const Points& points, std::size_t block) {
  ContextOptions options;
  options.block = block;
  Context context(model, options);
  context.observe(points.x, points.y);
  return context;
}

// The likelihood in blocks, 0 for all targets at once.
double score_in_blocks(const Model& model, const Task& task, std::size_t block) {
  const std::size_t points = task.targets.x.size() / model.config().dim_x;
  const std::size_t joint = block == 0 ? points : std::min(block, points);
  const Context context = conditioned(model, task.context, joint);
  const Score result = score(context, task.targets.x, task.targets.y, joint);
  EXPECT_EQ(result.points, points);
  return result.log_likelihood;
}

Diagonal predict(const Model& model, const Task& task) {
  Diagonal result{std::vector<double>(task.targets.y.size()), std::vector<double>(task.targets.y.size())};
  conditioned(model, task.context, 1).predict(task.targets.x, result.mean, result.std);
  return result;
}

class RuntimeFormula : public ::testing::TestWithParam<FormulaValues> {};

TEST_P(RuntimeFormula, Cmanp) {
  const Model model = through_a_file(formula_model(GetParam().config(Covariance::diagonal)));
  double sum = 0;
  for (const std::size_t b : {0u, 1u}) {
    const Task task = formula_task(model.config(), b);
    sum += score(conditioned(model, task.context, 5), task.targets.x, task.targets.y).log_likelihood;
  }
  EXPECT_NEAR(sum / 2, GetParam().diagonal, diagonal_tolerance * std::abs(GetParam().diagonal));
  const Diagonal prediction = predict(model, formula_task(model.config(), 0));
  EXPECT_NEAR(prediction.mean[0], GetParam().mean, diagonal_tolerance);
  EXPECT_NEAR(prediction.std[0], GetParam().std, diagonal_tolerance);
}

TEST_P(RuntimeFormula, CmanpAnd) {
  const Model model = through_a_file(formula_model(GetParam().config(Covariance::cholesky)));
  const auto mean_score = [&](std::size_t block) {
    return (score_in_blocks(model, formula_task(model.config(), 0), block) +
            score_in_blocks(model, formula_task(model.config(), 1), block)) /
           2;
  };
  EXPECT_NEAR(mean_score(2) / GetParam().blocks_of_two, 1, relative_likelihood);
  EXPECT_NEAR(mean_score(1) / GetParam().blocks_of_one, 1, relative_likelihood);
  EXPECT_NEAR(mean_score(0) / GetParam().one_block, 1, relative_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Golden, RuntimeFormula, ::testing::ValuesIn(formula_values),
                         [](const auto& values) { return std::string(values.param.task); });

class RuntimeCmanp : public OnFixtures {};
class RuntimeCmanpAnd : public OnFixtures {};

TEST_P(RuntimeCmanp, HasTheReferencesStates) {
  const Fixture fixture("cmanp", GetParam());
  const Model model = through_a_file(runtime::import_reference(fixture.weights));
  for (std::size_t task = 0; task < fixture.tasks(); ++task) {
    Context context = conditioned(model, fixture.context(task), 5);
    runtime::Access::engine(context).refresh();  // folds what is pending
    const auto& states = runtime::Access::engine(context).states();
    ASSERT_EQ(states.size(), fixture.answers.at("state_log_normaliser").size());
    for (std::size_t block = 0; block < states.size(); ++block) {
      const auto& state = states[block];
      std::vector<double> log_normaliser(state.sum.size()), output(state.weighted.size());
      for (std::size_t i = 0; i < state.sum.size(); ++i) {
        log_normaliser[i] = static_cast<double>(state.max[i]) + std::log(state.sum[i]);
      }
      for (std::size_t i = 0; i < output.size(); ++i) output[i] = state.weighted[i] / state.sum[i / state.heads.dim];
      expect_all_near(log_normaliser, flat(fixture.answers.at("state_log_normaliser").at(block).at(task)),
                      diagonal_tolerance, "log-normaliser");
      expect_all_near(output, flat(fixture.answers.at("state_output_before_projection").at(block).at(task)),
                      diagonal_tolerance, "output");
    }
  }
}

TEST_P(RuntimeCmanp, PredictsAndScores) {
  const Fixture fixture("cmanp", GetParam());
  const Model model = through_a_file(runtime::import_reference(fixture.weights));
  double sum = 0;
  for (std::size_t i = 0; i < fixture.tasks(); ++i) {
    const Task task{fixture.context(i), fixture.targets(i)};
    const Diagonal prediction = predict(model, task);
    expect_all_near(prediction.mean, flat(fixture.answers.at("mean").at(i)), diagonal_tolerance, "mean");
    expect_all_near(prediction.std, flat(fixture.answers.at("std").at(i)), diagonal_tolerance, "std");
    sum += score(conditioned(model, task.context, 5), task.targets.x, task.targets.y).log_likelihood;
  }
  EXPECT_NEAR(sum / static_cast<double>(fixture.tasks()), fixture.answers.at("tar_ll").get<double>(),
              diagonal_tolerance);
}

TEST_P(RuntimeCmanpAnd, GivesTheFirstBlock) {
  const Fixture fixture("cmanpand", GetParam());
  const Model model = through_a_file(runtime::import_reference(fixture.weights));
  for (std::size_t i = 0; i < fixture.tasks(); ++i) {
    std::vector<double> x = fixture.targets(i).x;
    x.resize(5 * model.config().dim_x);
    const std::size_t size = 5 * model.config().dim_y;
    std::vector<double> mean(size), scale_tril(size * size);
    conditioned(model, fixture.context(i), 5).predict_joint(x, mean, scale_tril);
    expect_all_near(mean, flat(fixture.answers.at("first_block_mean").at(i)), diagonal_tolerance, "mean");
    expect_all_near(scale_tril, flat(fixture.answers.at("first_block_scale_tril").at(i)), diagonal_tolerance,
                    "scale_tril");
  }
}

TEST_P(RuntimeCmanpAnd, ScoresInBlocks) {
  const Fixture fixture("cmanpand", GetParam());
  const Model model = through_a_file(runtime::import_reference(fixture.weights));
  for (const auto& [block, expected] : fixture.answers.at("tar_ll").items()) {
    double sum = 0;
    for (std::size_t i = 0; i < fixture.tasks(); ++i) {
      sum += score_in_blocks(model, {fixture.context(i), fixture.targets(i)}, std::stoul(block));
    }
    EXPECT_NEAR(sum / static_cast<double>(fixture.tasks()) / expected.get<double>(), 1, relative_likelihood)
        << "in blocks of " << block;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, RuntimeCmanp, ::testing::Values("small", "gp", "emnist", "celeba32"), task_name);
INSTANTIATE_TEST_SUITE_P(Golden, RuntimeCmanpAnd, ::testing::Values("small", "gp", "emnist", "celeba32"), task_name);

}  // namespace
}  // namespace cmanp::testing

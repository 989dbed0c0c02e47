// The definition in double against the fixtures: what the public implementation answers in float32.
#include <gtest/gtest.h>

#include <algorithm>

#include "golden/fixtures.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::testing {
namespace {

class PlainCmanp : public OnFixtures {};
class PlainCmanpAnd : public OnFixtures {};

// [latent][head * size + i] to the fixtures' [head][latent][i].
std::vector<double> by_head(const AttentionState& state) {
  std::vector<double> out;
  const std::size_t heads = state.log_normaliser.rows, size = state.output.cols / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t n = 0; n < state.output.rows; ++n) {
      for (std::size_t i = 0; i < size; ++i) out.push_back(state.output(n, h * size + i));
    }
  }
  return out;
}

TEST_P(PlainCmanp, PredictsAndScores) {
  const Fixture fixture("cmanp", GetParam());
  const PlainModel model(runtime::import_reference(fixture.weights));
  double score = 0;
  for (std::size_t task = 0; task < fixture.tasks(); ++task) {
    const Points context = fixture.context(task), targets = fixture.targets(task);
    const Diagonal prediction = model.predict(model.encode(context), targets.x);
    expect_all_near(prediction.mean, flat(fixture.answers.at("mean").at(task)), 1e-5, "mean");
    expect_all_near(prediction.std, flat(fixture.answers.at("std").at(task)), 1e-5, "std");
    score += model.score(context, targets) / static_cast<double>(fixture.tasks());
  }
  EXPECT_NEAR(score, fixture.answers.at("tar_ll").get<double>(), 1e-5);
}

TEST_P(PlainCmanp, HasTheReferencesStates) {
  const Fixture fixture("cmanp", GetParam());
  const PlainModel model(runtime::import_reference(fixture.weights));
  for (std::size_t task = 0; task < fixture.tasks(); ++task) {
    const Encoding encoding = model.encode(fixture.context(task));
    ASSERT_EQ(encoding.states.size(), fixture.answers.at("state_log_normaliser").size());
    for (std::size_t block = 0; block < encoding.states.size(); ++block) {
      expect_all_near(encoding.states[block].log_normaliser.values,
                      flat(fixture.answers.at("state_log_normaliser").at(block).at(task)), 1e-5, "log-normaliser");
      expect_all_near(by_head(encoding.states[block]),
                      flat(fixture.answers.at("state_output_before_projection").at(block).at(task)), 1e-5, "output");
    }
  }
}

TEST_P(PlainCmanpAnd, GivesTheFirstBlock) {
  const Fixture fixture("cmanpand", GetParam());
  const PlainModel model(runtime::import_reference(fixture.weights));
  for (std::size_t task = 0; task < fixture.tasks(); ++task) {
    std::vector<double> x = fixture.targets(task).x;
    x.resize(5 * model.config().dim_x);
    const Joint joint = model.predict_joint(model.encode(fixture.context(task)), x);
    expect_all_near(joint.mean, flat(fixture.answers.at("first_block_mean").at(task)), 1e-5, "mean");
    expect_all_near(joint.scale_tril.values, flat(fixture.answers.at("first_block_scale_tril").at(task)), 1e-5,
                    "scale_tril");
  }
}

TEST_P(PlainCmanpAnd, ScoresInBlocks) {
  const Fixture fixture("cmanpand", GetParam());
  const PlainModel model(runtime::import_reference(fixture.weights));
  for (const auto& [block, expected] : fixture.answers.at("tar_ll").items()) {
    double score = 0;
    for (std::size_t task = 0; task < fixture.tasks(); ++task) {
      score += model.score(fixture.context(task), fixture.targets(task), std::stoul(block)) /
               static_cast<double>(fixture.tasks());
    }
    EXPECT_NEAR(score / expected.get<double>(), 1, 1e-3) << "in blocks of " << block;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, PlainCmanp, ::testing::Values("small", "gp", "emnist", "celeba32"), task_name);
INSTANTIATE_TEST_SUITE_P(Golden, PlainCmanpAnd, ::testing::Values("small", "gp", "emnist", "celeba32"), task_name);

}  // namespace
}  // namespace cmanp::testing

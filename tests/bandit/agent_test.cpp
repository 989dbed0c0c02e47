// The decision interface: what it chooses, what it refuses, and that learning round by round is reading all at once.
#include <gtest/gtest.h>
#include <cmanp/cmanp.hpp>

#include <cmath>

#include "bandit/model_player.hpp"
#include "runtime/model_data.hpp"
#include "runtime/weights.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp {
namespace {

using testing::error_message;

// Three features and two arms; weights that make something of its observations.
Model lively(Covariance covariance = Covariance::diagonal, std::size_t dim_y = 1) {
  Config config;
  config.dim_x = 5;
  config.dim_y = dim_y;
  config.d_model = config.latent_dim = config.layer_latent_dim = 8;
  config.nhead = 2;
  config.dim_feedforward = 8;
  config.num_layers = 1;
  config.num_latents = config.num_latents_per_layer = 4;
  config.covariance = covariance;
  config.num_std_layers = 1;
  config.prj_dim = 3;
  return runtime::make_model(runtime::random_model(config, 3));
}

constexpr double kContext[] = {0.3, -0.2, 0.9};

void learn_some(Agent& agent, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) {
    const double context[] = {0.1 * static_cast<double>(i), 0.5, -0.1 * static_cast<double>(i)};
    agent.learn(context, i % 2, std::sin(static_cast<double>(i)));
  }
}

TEST(Agent, AnswersBeforeTheFirstRound) {
  Agent agent(lively(), 2);
  EXPECT_EQ(agent.features(), 3U);
  EXPECT_EQ(agent.rounds(), 0U);
  EXPECT_LT(agent.choose(kContext), 2U);
}

TEST(Agent, LearningRoundByRoundIsReadingAllAtOnce) {
  Agent agent(lively(), 2);
  learn_some(agent, 40);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < 40; ++i) {
    const double context[] = {0.1 * static_cast<double>(i), 0.5, -0.1 * static_cast<double>(i)};
    x.insert(x.end(), {context[0], context[1], context[2], i % 2 == 0 ? 1.0 : 0.0, i % 2 == 1 ? 1.0 : 0.0});
    y.push_back(std::sin(static_cast<double>(i)));
  }
  Context all(lively());
  all.observe(x, y);
  const double asked[] = {kContext[0], kContext[1], kContext[2], 1, 0, kContext[0], kContext[1], kContext[2], 0, 1};
  double mean[2], std[2], expected_mean[2], expected_std[2];
  agent.predict(kContext, mean, std);
  all.predict(asked, expected_mean, expected_std);
  for (int arm = 0; arm < 2; ++arm) {
    EXPECT_NEAR(mean[arm], expected_mean[arm], 1e-6);
    EXPECT_NEAR(std[arm], expected_std[arm], 1e-6);
  }
  EXPECT_EQ(agent.choose(kContext), mean[0] + std[0] >= mean[1] + std[1] ? 0U : 1U);
}

TEST(Agent, ASavedOneGoesOnAsItWouldHave) {
  const testing::TemporaryFolder folder;
  for (const Covariance covariance : {Covariance::diagonal, Covariance::lowrank}) {
    const Model model = lively(covariance);
    const AgentOptions options{.policy = Policy::thompson, .exploration = 2, .seed = 9};
    Agent agent(model, 2, options);
    learn_some(agent, 7);
    agent.save(folder / "agent.state");
    Agent loaded = Agent::load(model, 2, folder / "agent.state", options);
    EXPECT_EQ(loaded.rounds(), 7U);
    std::size_t ones = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t arm = agent.choose(kContext);
      ASSERT_EQ(loaded.choose(kContext), arm);
      ones += arm;
      agent.learn(kContext, arm, 0.1);
      loaded.learn(kContext, arm, 0.1);
    }
    EXPECT_LT(ones, 60U);  // draws differ from round to round
    EXPECT_GT(ones, 0U);
  }
}

TEST(Agent, AStateOfOtherArmsIsRefused) {
  const testing::TemporaryFolder folder;
  Agent agent(lively(), 2);
  learn_some(agent, 7);
  agent.save(folder / "agent.state");
  EXPECT_EQ(error_message([&] { Agent::load(lively(), 3, folder / "agent.state"); }),
            (folder / "agent.state").string() + ": the state of an agent of 2 arms, not 3");
  Context plain = Context::load(lively(), folder / "agent.state");  // it stays an agent's, whoever keeps it
  plain.save(folder / "kept.state");
  EXPECT_THROW(Agent::load(lively(), 3, folder / "kept.state"), Error);
  Agent other(lively(), 3);
  EXPECT_EQ(error_message([&] { plain.merge(other.context()); }),
            "contexts of agents of 2 and of 3 arms cannot be merged");
}

TEST(Agent, RefusesWhatMakesNoSense) {
  const auto message = [](const auto& call) { return error_message(call); };
  EXPECT_EQ(message([] { Agent(lively(), 1); }), "an agent chooses between 2 arms or more, not 1");
  EXPECT_EQ(message([] { Agent(lively(), 5); }),
            "an agent's model has the context's features and 5 arms as its x; this one's x has 5");
  EXPECT_EQ(message([] { Agent(lively(Covariance::diagonal, 2), 2); }),
            "an agent's model has one y, the reward; this one has 2");
  EXPECT_EQ(message([] { Agent(lively(), 2, {.exploration = -1}); }), "exploration is -1; it is a number from 0 on");
  Agent agent(lively(), 2);
  EXPECT_EQ(message([&] { agent.learn(kContext, 2, 0); }), "there is no arm 2; there are 0 to 1");
  EXPECT_EQ(message([&] { agent.choose(std::span(kContext, 2)); }), "the context has 2 features, the model takes 3");
  EXPECT_NE(message([&] { agent.learn(kContext, 0, NAN); }), "(no error)");
  EXPECT_EQ(agent.rounds(), 0U);
  EXPECT_NE(message([] { bandit::rewards_of(lively().config(), "m.cmanp"); }).find("m.cmanp: has 5 x and 1 y"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp

// `cmanp bandit` as its users run it: train, export, run in both halves, report, optimise.
#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "training/bandit/fitted_process.hpp"
#include "training/bandit/optimise.hpp"
#include "training/trainer/train_program.hpp"

namespace cmanp::testing {
namespace {

using nlohmann::json;

class BanditProgram : public TrainProgram {
 protected:
  // A run of a few steps, as a model file of this name.
  std::string trained(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"bandit",       "train", "--out",   path(name),   "--steps",      "3",
                                       "--eval-every", "0",     "--cache", path("sets"), "--max-points", "16",
                                       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(json::parse(output_of(arguments))["task"], "wheel");
    output_of({"export", path(name), "-o", path(name + ".cmanp")});
    return path(name + ".cmanp");
  }

  json play(const std::string& model, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"bandit", "run",     "--model", model,       "--rounds",    "60",    "--seeds",
                                       "3",      "--delta", "0.9",     "--results", path("games"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_lines(output_of(arguments));
  }
};

TEST_F(BanditProgram, TrainsPlaysAndReports) {
  const std::string chosen =
      trained("chosen", {"--preset", "wheel", "--warmup", "0", "--num-latents", "4", "--num-latents-per-layer", "4"});
  const std::string all = trained("all", {"--model", "cmanp", "--max-targets", "8"});
  const std::string family = trained("family", {"--model", "anp", "--max-targets", "8", "--dim-hid", "16"});
  for (const std::string& model : {chosen, all, family}) {
    const json standing = play(model);
    ASSERT_EQ(standing.size(), 1U);
    EXPECT_EQ(standing[0]["games"], 3);
    EXPECT_GT(standing[0]["regret"], 0);
  }
  const std::string games = read_file(folder_ / "games");
  EXPECT_EQ(play(chosen), play(chosen));  // nothing is played twice
  EXPECT_EQ(read_file(folder_ / "games"), games);
  const std::string table = output_of({"bandit", "report", path("games")});
  EXPECT_NE(table.find("| chosen ucb 1 | 3 |"), std::string::npos) << table;
  EXPECT_NE(table.find("| uniform | 50 | 100.00 ±"), std::string::npos) << table;
}

TEST_F(BanditProgram, RefusesModelsOfOtherTasks) {
  const std::string gp = path("gp.cmanp");
  output_of({"init", "--preset", "nano", "-o", gp});
  expect_refused({"bandit", "run", "--model", gp}, {"gp.cmanp: has 1 x and 1 y", "7 and 1", "2 and 5"});
  expect_refused({"bandit", "run", "--model", path("none.cmanp")}, {"none.cmanp"});
  expect_refused({"bandit", "report", path("nothing")}, {"nothing: no such file"});
  const std::string results = folder_.write("bad", "not a game\n").string();
  expect_refused({"bandit", "report", results}, {"bad:1: not a game"});
  EXPECT_EQ(run({"bandit", "run"}).exit_code, 2);
}

TEST_F(BanditProgram, Optimises) {
  const std::string gp = path("gp.cmanp");
  output_of({"init", "--preset", "nano", "-o", gp});
  const json results = json_lines(
      output_of({"bandit", "optimise", "--model", gp, "--functions", "2", "--rounds", "8", "--grid", "40", "--json"}));
  ASSERT_EQ(results.size(), 3U);
  for (const json& result : results) {
    EXPECT_EQ(result["regret"].size(), 8U);
    EXPECT_EQ(result["regret"][0], results[0]["regret"][0]);  // the same first place
    EXPECT_LE(result["regret"][7], result["regret"][0]);
  }
  EXPECT_LT(results[1]["regret"][7], 0.2);
}

TEST(Optimise, ExpectedImprovementIsThatOfANormal) {
  EXPECT_NEAR(training::expected_improvement(0, 1, 0), 0.3989422804, 1e-9);
  EXPECT_NEAR(training::expected_improvement(1, 2, 0), 2 * 0.1977966, 1e-6);  // 2 (phi(.5) - .5 Phi(-.5))
  EXPECT_EQ(training::expected_improvement(1, 0, 3), 2);
}

TEST(FittedProcess, FindsLengthAndPassesThroughWhatItSaw) {
  training::Random random(1, training::Stream::evaluation, 0);
  const training::GaussianProcess truth{training::Kernel::rbf, 0.3, 0.7, 1, 4e-4};
  std::vector<double> x;
  for (int i = 0; i < 30; ++i) x.push_back(-2 + 4.0 * i / 29);
  const std::vector<double> y = training::draw(truth.factor(x), x.size(), random);
  training::FittedProcess fitted(training::Kernel::rbf, 4e-4);
  for (std::size_t i = 0; i < x.size(); ++i) fitted.observe(x[i], y[i]);
  EXPECT_NEAR(fitted.process().length, 0.3, 0.12);
  std::vector<double> mean(x.size()), deviation(x.size());
  fitted.predict(x, mean, deviation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(mean[i], y[i], 0.06);
    EXPECT_LT(deviation[i], 0.03);
  }
  const double far[] = {50};
  fitted.predict(far, mean, deviation);
  EXPECT_NEAR(mean[0], 0, 1e-9);
  EXPECT_NEAR(deviation[0], fitted.process().scale, 1e-9);
}

}  // namespace
}  // namespace cmanp::testing

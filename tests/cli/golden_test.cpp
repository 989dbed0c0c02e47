// The public implementation's own numbers, through import, predict and score.
#include <fmt/format.h>

#include <fstream>

#include "cli/cli_test.hpp"
#include "golden/golden_folder.hpp"

namespace cmanp::testing {

namespace {

std::string task_of(const std::string& fixture) { return fixture.substr(fixture.find('-') + 1); }

class GoldenCliTest : public CliTest, public ::testing::WithParamInterface<const char*> {
 protected:
  GoldenCliTest() : stem_((golden_folder(task_of(GetParam())) / GetParam()).string()) {}

  void SetUp() override {
    std::ifstream file(stem_ + ".json");
    if (!file) GTEST_SKIP() << "no fixture " << stem_ << "; set CMANP_GOLDEN to the large ones' folder";
    golden_ = nlohmann::json::parse(file);
    if (!std::string(GetParam()).starts_with("cmanp") && !has_training_half()) GTEST_SKIP() << "no cmanp-train";
    output_of({"import", stem_ + ".safetensors", "-o", (*this)("model")});
  }

  // Points of one task as a table, its numbers as the fixture has them.
  std::string table(const char* x_name, const char* y_name, std::size_t task) const {
    const nlohmann::json& x = golden_[x_name][task];
    const nlohmann::json& y = golden_[y_name][task];
    std::string text;
    const auto add_names = [&](char letter, std::size_t count) {
      for (std::size_t i = 1; i <= count; ++i) text += fmt::format("{}{}{}", text.empty() ? "" : ",", letter, i);
    };
    add_names('x', x[0].size());
    add_names('y', y[0].size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      text += "\n";
      for (std::size_t c = 0; c < x[i].size(); ++c) text += (c > 0 ? "," : "") + x[i][c].dump();
      for (const nlohmann::json& value : y[i]) text += "," + value.dump();
    }
    return text + "\n";
  }

  void write_task(std::size_t task) const {
    folder_.write("context.csv", table("context_x", "context_y", task));
    folder_.write("targets.csv", table("target_x", "target_y", task));
  }

  // The mean over both tasks, as the fixture gives it.
  double score(const std::vector<std::string>& more) const {
    double sum = 0;
    for (std::size_t task = 0; task < 2; ++task) {
      write_task(task);
      std::vector<std::string> arguments{"score",
                                         "--model",
                                         (*this)("model"),
                                         "--context",
                                         (*this)("context.csv"),
                                         "--targets",
                                         (*this)("targets.csv"),
                                         "--json"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      sum += json_of(arguments)["log_likelihood"].get<double>();
    }
    return sum / 2;
  }

  std::string stem_;
  nlohmann::json golden_;
};

class DiagonalGolden : public GoldenCliTest {};

TEST_P(DiagonalGolden, Predict) {
  for (std::size_t task = 0; task < 2; ++task) {
    write_task(task);
    const nlohmann::json answers = json_of({"predict", "--model", (*this)("model"), "--context", (*this)("context.csv"),
                                            "--targets", (*this)("targets.csv"), "--json"});
    for (const char* what : {"mean", "std"}) {
      const nlohmann::json& expected = golden_[what][task];
      ASSERT_EQ(answers[what].size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t c = 0; c < expected[i].size(); ++c) {
          EXPECT_NEAR(answers[what][i][c].get<double>(), expected[i][c].get<double>(), 2e-5) << what << " " << i;
        }
      }
    }
  }
}

TEST_P(DiagonalGolden, Score) { EXPECT_NEAR(score({}), golden_["tar_ll"].get<double>(), 5e-5); }

// The training half's joint models score all targets at once.
class JointGolden : public GoldenCliTest {};

TEST_P(JointGolden, Score) {
  const double expected = golden_["tar_ll"].get<double>();
  EXPECT_NEAR(score({}), expected, 1e-3 * std::abs(expected));
}

class BlockGolden : public GoldenCliTest {};

TEST_P(BlockGolden, Score) {
  for (const auto& [block, expected] : golden_["tar_ll"].items()) {
    const double value = expected.get<double>();
    EXPECT_NEAR(score({"--block", block}), value, 2e-3 * std::abs(value)) << "block " << block;
  }
  EXPECT_EQ(score({}), score({"--block", "5"}));
}

INSTANTIATE_TEST_SUITE_P(Cmanp, DiagonalGolden,
                         ::testing::Values("cmanp-small", "cmanp-gp", "cmanp-emnist", "cmanp-celeba32"));
INSTANTIATE_TEST_SUITE_P(HandedOver, DiagonalGolden,
                         ::testing::Values("cnp-small", "cnp-gp", "canp-celeba32", "lbanp-emnist"));
INSTANTIATE_TEST_SUITE_P(HandedOver, JointGolden,
                         ::testing::Values("tnpnd-small", "tnpnd-gp", "lbanpnd-emnist", "tnpa-celeba32"));
INSTANTIATE_TEST_SUITE_P(CmanpAnd, BlockGolden,
                         ::testing::Values("cmanpand-small", "cmanpand-gp", "cmanpand-emnist", "cmanpand-celeba32"));

}  // namespace
}  // namespace cmanp::testing

// Several processes train what one does, stop together, and go on where they were.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "several_processes.hpp"

namespace cmanp::training {
namespace {

using testing::ProcessResult;
using testing::SeveralProcesses;

double largest_difference(const NamedTensors& left, const NamedTensors& right) {
  EXPECT_FALSE(left.empty());
  double largest = 0;
  for (const auto& [name, tensor] : left) {
    largest = std::max(largest, (tensor - right.at(name)).abs().max().item<double>());
  }
  return largest;
}

class AsOneProcess : public SeveralProcesses {
 protected:
  void expect_as_one(const std::string& processes) {
    ASSERT_EQ(run(train("one")).exit_code, 0);
    const ProcessResult result = run(train("several", {"--processes", processes}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["step"], 20);  // said once
    const Checkpoint one = result_of("one"), several = result_of("several");
    EXPECT_EQ(several.step, 20);
    EXPECT_LT(largest_difference(one.weights, several.weights), 1e-5);
    EXPECT_LT(largest_difference(one.averaged, several.averaged), 1e-5);
    EXPECT_NEAR(one.progress["loss"].get<double>(), several.progress["loss"].get<double>(), 1e-5);
    EXPECT_NEAR(one.progress["log_likelihood"].get<double>(), several.progress["log_likelihood"].get<double>(), 1e-4);
  }
};

TEST_F(AsOneProcess, TwoTrainTheSameWeights) { expect_as_one("2"); }

// They have 2, 1 and 1 of 4 tasks.
TEST_F(AsOneProcess, ThreeTrainTheSameWeightsOfAModelThatDraws) {
  folder_.write("tiny.json", R"({"model": "bnp", "dim_hid": 8, "batch": 4, "max_points": 12, "steps": 20, "lr": 1e-3,
                                 "eval_every": 10, "eval_batches": 2, "ema": 0.9, "threads": 1})");
  expect_as_one("3");
}

TEST_F(SeveralProcesses, OneOfThemToldToStopAllSaveLeaveAndGoOn) {
  const std::vector<std::string> more{"--steps", "200", "--save-every", "5", "--eval-every", "0", "--resume-or-start"};
  ASSERT_EQ(run(train("unbroken", {"--steps", "200", "--eval-every", "0", "--processes", "2"})).exit_code, 0);
  for (int round = 0; round < 2; ++round) {
    const auto both = start_two("run", more);
    if (round == 0) {
      await_step("run", 5);
      both[1]->kill(SIGINT);
    }
    const ProcessResult first = both[0]->wait(), second = both[1]->wait();
    EXPECT_TRUE(second.out.empty()) << second.out;
    EXPECT_TRUE(second.err.empty()) << second.err;
    if (round == 1) {
      EXPECT_EQ(first.exit_code, 0) << first.err;
      EXPECT_EQ(second.exit_code, 0);
      break;
    }
    EXPECT_EQ(first.exit_code, 128 + SIGTERM) << first.err;
    EXPECT_EQ(second.exit_code, 128 + SIGINT);
    expect_part(first.err, fmt::format("stopped and saved at step {} of 200", saved_step("run")));
    EXPECT_LT(saved_step("run"), 200);
  }
  expect_same_weights("unbroken", "run");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

TEST_F(SeveralProcesses, CtrlCToTheLauncherSavesAndLeaves) {
  testing::Process launcher(train("run", {"--steps", "1000000", "--save-every", "10", "--processes", "2"}));
  await_step("run", 10);
  launcher.kill(SIGINT);
  const ProcessResult result = launcher.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  expect_part(result.err, fmt::format("stopped and saved at step {} of", saved_step("run")));
  EXPECT_EQ(result.err.find("error"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cmanp::training

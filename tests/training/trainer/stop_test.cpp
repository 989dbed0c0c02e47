// Runs that are stopped, watched and met by others: Ctrl-C in an evaluation, inspect, two runs in one folder.
#include <gtest/gtest.h>

#include <csignal>

#include "runs/run_lock.hpp"
#include "train_program.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::testing {
namespace {

using Json = nlohmann::json;

class StopProgram : public TrainProgram {
 protected:
  void await_file(const std::string& name) const {
    for (int i = 0; i < 1000 && !std::filesystem::exists(folder_ / name); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ASSERT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  }

  // Evaluation sets of this size take minutes to make.
  const std::string endless_ = "200000";
};

TEST_F(StopProgram, CtrlCInAnEvaluationSavesAndLeavesAndItIsMadeUpFor) {
  ASSERT_EQ(run(train("unbroken")).exit_code, 0);
  Process process(train("run", {"--eval-batches", endless_, "--log-every", "7"}));
  // The line of step 7 is written just before the evaluation of step 7 begins.
  for (int i = 0; i < 1000 && read_file(folder_ / "run/metrics.jsonl").empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  process.kill(SIGINT);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("saved at step 7 of 20"), std::string::npos) << result.err;
  EXPECT_EQ(saved_step("run"), 7);
  output_of(train("run", {"--resume"}));
  output_of(train("run", {"--resume"}));  // nothing left to do
  expect_same_weights("unbroken", "run");
  const auto evaluations = [&](const std::string& name) {
    return Json::parse(output_of({"inspect", path(name), "--json"}))["evaluations"];
  };
  EXPECT_EQ(evaluations("run").size(), 3U);  // steps 7, 14 and 20
  EXPECT_EQ(evaluations("run"), evaluations("unbroken"));
}

TEST_F(StopProgram, CtrlCInEvalLeavesAtOnce) {
  ASSERT_EQ(run(train("run")).exit_code, 0);
  Process process({CMANP_PROGRAM, "eval", path("run"), "--batches", endless_, "--cache", path("new")});
  await_file("new");  // made when it is about to begin
  process.kill(SIGINT);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "new"));
}

TEST_F(StopProgram, InspectTellsWhereARunStands) {
  ASSERT_EQ(run(train("run")).exit_code, 0);
  const std::string checkpoint = path("run/checkpoints/step-00000020");
  const Json of_run = Json::parse(output_of({"inspect", path("run"), "--json"}));
  EXPECT_EQ(of_run, Json::parse(output_of({"inspect", checkpoint + "/", "--json"})));
  EXPECT_EQ(of_run["model"], "cmanp");
  EXPECT_EQ(of_run["task"], "gp");
  EXPECT_EQ(of_run["step"], 20);
  EXPECT_EQ(of_run["settings"]["num_latents"], 4);
  EXPECT_EQ(of_run["parameters"], training::load_run(folder_ / "run").model->parameter_count());
  EXPECT_EQ(of_run["log_likelihood"], of_run["evaluations"].back()["log_likelihood"]);
  const std::string text = output_of({"inspect", path("run")});
  EXPECT_NE(text.find("log likelihood"), std::string::npos) << text;

  expect_refused({"inspect", path("sets")}, {"holds no training run"});
  folder_.write("run/checkpoints/step-00000020/state.json", R"({"step": 20, "progress": {}, "settings": []})");
  expect_refused({"inspect", path("run")}, {"state.json", "settings"});
  folder_.write("run/checkpoints/step-00000020/state.json", R"({"step": 20)");
  expect_refused({"inspect", path("run")}, {"state.json"});
}

TEST_F(StopProgram, OneRunAtATimeInAFolder) {
  // By hand, to see that the program then asks for threads that sleep, too.
  std::vector<std::string> endless = train("run", {"--steps", "1000000", "--save-every", "5"});
  endless[0] = CMANP_TRAIN_PROGRAM;
  endless.insert(endless.begin(), {"/usr/bin/env", "-u", "OMP_WAIT_POLICY"});
  Process process(endless);
  await_step("run", 5);
  const std::string holder = read_file(folder_ / "run/lock");
  for (const std::string flag : {"--resume", "--json"}) {
    expect_refused(train("run", {flag}), {path("run") + ": another run (process " + holder + ")"});
  }
  EXPECT_NE(read_file("/proc/" + holder + "/environ").find("OMP_WAIT_POLICY=passive"), std::string::npos);
  process.kill(SIGKILL);
  process.wait();
  EXPECT_NO_THROW(runs::RunLock(folder_ / "run"));  // the lock died with it
}

}  // namespace
}  // namespace cmanp::testing

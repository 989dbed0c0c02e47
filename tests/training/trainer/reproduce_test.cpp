// cmanp reproduce, as far as it goes before anything is trained; ../../experiments/smoke is the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

using nlohmann::ordered_json;

class Reproduce : public ::testing::Test {
 protected:
  Reproduce() { std::filesystem::create_directories(folder_ / "plans"); }

  static ordered_json plan() {
    return ordered_json::parse(R"({
      "title": "Mine",
      "commands": ["train --task gp --model {model} --resume-or-start --json {budget} --out {run}",
                   "eval {run} --batches 1 --json"],
      "columns": [{"title": "RBF", "field": "log_likelihood"}],
      "rows": [{"name": "cnp", "values": {"model": "cnp"}}, {"name": "again", "trained": "mine/cnp"}],
      "budgets": {"smoke": {"steps": 1}, "hour": {"steps": 1}, "night": {"steps": 1}, "paper": {"steps": 1}}
    })");
  }

  ProcessResult run(const ordered_json& document, const std::vector<std::string>& more,
                    const std::string& out = "out") const {
    folder_.write("plans/mine.json", document.dump());
    std::vector<std::string> arguments{CMANP_PROGRAM, "reproduce", "run", "--plans", path("plans"), "--out", path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_process(arguments);
  }

  // Expects that nothing was begun.
  void expect_refused(const ProcessResult& result, int code, const std::string& message) const {
    EXPECT_EQ(result.exit_code, code);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, message, result.err);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Reproduce, MisspeltCommandsAreRefusedBeforeAnythingIsTrained) {
  ordered_json wrong = plan();
  wrong["commands"][1] = "eval {run} --batchs 1 --json";
  expect_refused(run(wrong, {}), 1, "mine.json: command 2, row cnp: unknown option --batchs; did you mean --batches?");
  wrong["commands"][1] = "evaal {run} --json";
  expect_refused(run(wrong, {}), 1, "unknown verb evaal");
}

TEST_F(Reproduce, DataThatNobodyAskedForOrThatAreNotThere) {
  ordered_json wanting = plan();
  wanting["needs"] = {{"faces", "a folder of pictures"}};
  wanting["commands"][1] = "eval {run} --data {faces} --json";
  expect_refused(run(wanting, {"--data", "face=x"}), 2, "no item needs data called 'face'; did you mean faces?");
  expect_refused(run(wanting, {"--data", "faces=" + path("nowhere")}), 1, "nowhere': no such file or folder");
}

// A job that can only follow another stands in its line; the words are a shell's.
TEST_F(Reproduce, LinesForOtherMachines) {
  const ProcessResult commands = run(plan(), {"--jobs-as", "commands"}, "it's out");
  EXPECT_EQ(commands.exit_code, 0) << commands.err;
  EXPECT_EQ(commands.out, "cmanp reproduce run mine/cnp/0 mine/again/0 --budget smoke --equal steps --out '" +
                              path("it'\\''s out") + "' --plans " + path("plans") + " --jobs 1\n");
  const ProcessResult slurm = run(plan(), {"mine/cnp", "--jobs-as", "slurm"});
  EXPECT_TRUE(slurm.out.starts_with("sbatch --cpus-per-task=1 --job-name=mine/cnp/0 '--wrap=cmanp reproduce run "))
      << slurm.out;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Reproduce, ReportsAreOfFoldersThatItMade) {
  const auto report = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{CMANP_PROGRAM, "reproduce", "report", path("plans")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_process(arguments);
  };
  const ProcessResult none = report({});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "plans: is no folder of `cmanp reproduce run`", none.err);
  EXPECT_EQ(report({"--page", "x.pdf"}).exit_code, 2);
}

}  // namespace
}  // namespace cmanp::testing

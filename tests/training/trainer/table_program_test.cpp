// Tables of one's own as users train on them, forecast them and judge by them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

class TableProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string table = "station,hour,wind\n";
    for (int station = 1; station <= 4; ++station) {
      for (int hour = 0; hour < 60; ++hour) {
        table += "s" + std::to_string(station) + "," + std::to_string(hour) + "," +
                 std::to_string(station * (5 + std::sin(0.5236 * hour) + 0.1 * std::sin(37.0 * hour))) + "\n";
      }
    }
    folder_->write("stations.csv", table);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static ProcessResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CMANP_PROGRAM);
    return run_process(arguments);
  }

  static std::string output_of(const std::vector<std::string>& arguments) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.err;
    return result.out;
  }

  // A run of two steps, trained once.
  static std::string trained(const std::string& model) {
    if (!std::filesystem::exists(path(model))) {
      output_of({"train",   "--task",   "table",     "--data",    path("stations.csv"),
                 "--model", model,      "--out",     path(model), "--horizon",
                 "6",       "--season", "12",        "--steps",   "2",
                 "--nhead", "2",        "--d-model", "8",         "--num-layers",
                 "1",       "--batch",  "2",         "--threads", "1",
                 "--json"});
    }
    return path(model);
  }

  static void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err << result.signal;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

 private:
  static std::unique_ptr<TemporaryFolder> folder_;
};

std::unique_ptr<TemporaryFolder> TableProgram::folder_;

TEST_F(TableProgram, JudgesBesideTheRivalsThatAreAskedFor) {
  const std::string all = output_of({"judge", trained("cmanp")});
  for (const char* const rival : {"\nlast value ", "\nlast season ", "\nsmoother ", "\ngp "}) {
    EXPECT_NE(all.find(rival), std::string::npos) << all;
  }
  const std::string some = output_of({"judge", trained("cmanp"), "--rivals", "gp,linear"});
  EXPECT_NE(some.find("\ngp "), std::string::npos) << some;
  EXPECT_EQ(some.find("\nsmoother "), std::string::npos) << some;
  const std::string none = output_of({"judge", trained("cmanp"), "--rivals", "none"});
  EXPECT_EQ(none.find("rival"), std::string::npos) << none;
  expect_refused({"judge", trained("cmanp"), "--rivals", "gpp"}, {"no rival \"gpp\"", "did you mean \"gp\"?"});
}

}  // namespace
}  // namespace cmanp::testing

// Descriptors that are closed or full, and threads that cannot be made.
#include <fmt/format.h>

#include <sstream>

#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class HostileSurroundings : public CliTest {
 protected:
  // Through a shell: `before`; then the program with `redirections`.
  ProcessResult shell(const std::string& before, const std::string& arguments, const std::string& redirections = "",
                      const std::string& input = "") const {
    return run_process(
        {"/bin/sh", "-c", fmt::format("{}\nexec {} {} {}", before, CMANP_PROGRAM, arguments, redirections)},
        {.input = input});
  }

  // A short tournament of players that need no model.
  std::string bandit(const std::string& more) const {
    return fmt::format("bandit run --method uniform --rounds 50 --seeds 1 --delta 0.7 --results {} {}",
                       (*this)("games.jsonl"), more);
  }

  void expect_only_games() const {
    std::istringstream lines(read_file(folder_ / "games.jsonl"));
    std::size_t games = 0;
    for (std::string line; std::getline(lines, line); ++games) {
      EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
    EXPECT_EQ(games, 50U);
  }
};

TEST_F(HostileSurroundings, NoFileGetsTheNumberOfAClosedDescriptor) {
  const ProcessResult result = shell("", bandit(""), ">&-");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("cmanp: error: standard output: Bad file descriptor"), std::string::npos) << result.err;
  expect_only_games();
}

TEST_F(HostileSurroundings, AClosedStandardInputIsSaid) {
  const ProcessResult result = shell("", fmt::format("stream --model {} --state {}", model_, (*this)("s")), "<&-");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard input: cannot read"), std::string::npos) << result.err;
}

TEST_F(HostileSurroundings, StandardErrorThatCannotBeWrittenIsNoReasonToFail) {
  folder_.write("points.csv", points(0, 10));
  for (const std::string where : {"2>/dev/full", "2>&-", ">&- 2>&- <&-"}) {
    const std::string state = (*this)("s");
    const ProcessResult done =
        shell("", fmt::format("condition --model {} --state {} {}", model_, state, (*this)("points.csv")), where);
    EXPECT_EQ(done.exit_code, 0) << where << " signal " << done.signal;
    EXPECT_EQ(json_of({"inspect", state, "--json"})["points"], 10);
    const ProcessResult skipped =
        shell("", fmt::format("stream --model {} --skip-bad", model_), "2>/dev/full", "x,y\n1,one\n0.1,\n");
    EXPECT_EQ(skipped.exit_code, 0);
    EXPECT_EQ(csv_rows(skipped.out).size(), 1U);
    EXPECT_EQ(shell("", "nosuch", where).exit_code, 2);
    EXPECT_EQ(shell("", "inspect " + (*this)("nosuch"), where).exit_code, 1);
  }
}

TEST_F(HostileSurroundings, ThreadsThatCannotBeMade) {
  // Each needs 8 MB of address space for its stack.
  const std::string limit = "ulimit -s 8192; ulimit -v 300000";
  if (shell(limit, "--version").exit_code != 0) GTEST_SKIP() << "a sanitizer needs more address space than that";
  const ProcessResult played = shell(limit, bandit("--threads 500"));
  EXPECT_EQ(played.exit_code, 0) << played.err << " signal " << played.signal;
  expect_only_games();
  const ProcessResult streamed = shell(limit, fmt::format("stream --model {} --threads 500", model_), "", "x,y\n");
  EXPECT_EQ(streamed.exit_code, 1) << streamed.err << " signal " << streamed.signal;
  EXPECT_NE(streamed.err.find("cannot start 500 threads"), std::string::npos) << streamed.err;
}

}  // namespace
}  // namespace cmanp::testing

// A stream's state: kept across runs, kills and signals.
#include <csignal>
#include <thread>

#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

class StreamStateTest : public CliTest {
 protected:
  std::vector<std::string> stream(const std::string& state) const {
    return {"stream", "--model", model_, "--state", (*this)(state)};
  }

  std::size_t points_in(const std::string& state) const {
    return json_of({"inspect", (*this)(state), "--json"})["points"];
  }

  // An answer shows that all rows before it were taken in.
  static void ask(Process& process) {
    process.write("0.1,\n");
    EXPECT_TRUE(process.read_line().starts_with("0.1,"));
  }
};

TEST_F(StreamStateTest, AResumedStreamEqualsAnUnbrokenOne) {
  output_of(stream("s"), points(0, 700));
  const auto resumed = csv_rows(output_of(stream("s"), points(700, 900) + "0.1,\n-0.4,\n"));
  const auto unbroken = csv_rows(output_of({"stream", "--model", model_}, points(0, 1600) + "0.1,\n-0.4,\n"));
  ASSERT_EQ(resumed.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(resumed[i][1], unbroken[i][1], 1e-6);
    EXPECT_NEAR(resumed[i][2], unbroken[i][2], 1e-6);
  }
  EXPECT_EQ(points_in("s"), 1600U);
}

TEST_F(StreamStateTest, AnEmptyStreamLeavesAnEmptyState) {
  output_of(stream("s"), "x,y\n");
  EXPECT_EQ(points_in("s"), 0U);
}

TEST_F(StreamStateTest, KilledItLeavesAStateThatLoads) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "0"});
  Process process(command(arguments));
  process.write(points(0, 500));
  process.read_line();  // the header
  ask(process);
  process.write(points(500, 10).substr(4));  // without its header
  ask(process);
  process.kill(SIGKILL);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  EXPECT_EQ(points_in("s"), 510U);
  output_of(stream("s"), points(510, 5));
  EXPECT_EQ(points_in("s"), 515U);
}

TEST_F(StreamStateTest, AnIdleStreamIsSavedWhenItIsTime) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "0.2"});
  Process process(command(arguments));
  process.write(points(0, 20));
  for (int i = 0; i < 100 && !std::filesystem::exists(folder_ / "s"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(points_in("s"), 20U);
}

TEST_F(StreamStateTest, SignalsSaveAndLeave) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string state = "s" + std::to_string(signal);
    Process process(command(stream(state)));
    process.write(points(0, 30));
    process.read_line();
    ask(process);
    process.write("7,7\n0.5,1.2");  // the second row is not whole yet, and must not be taken for 1.2
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    process.kill(signal);
    const ProcessResult result = process.wait_with_open_input();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(points_in(state), 31U);
  }
}

TEST_F(StreamStateTest, ASignalBeforeTheHeader) {
  Process process(command(stream("s")));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.kill(SIGTERM);
  EXPECT_EQ(process.wait_with_open_input().exit_code, 128 + SIGTERM);
}

TEST_F(StreamStateTest, AReaderThatLeavesCostsNoObservation) {
  Process process(command(stream("s")), {.close_output = true});
  process.write(points(0, 30) + "0.1,\n");
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(points_in("s"), 30U);
}

}  // namespace
}  // namespace cmanp::testing

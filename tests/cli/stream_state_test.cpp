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

  void await_points(const std::string& state, std::size_t points) const {
    for (int i = 0; i < 6000; ++i) {
      if (std::filesystem::exists(folder_ / state) && points_in(state) == points) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << state << " never had " << points << " points";
  }

  // A question a line, many of them: their answers fill any pipe.
  static std::string many_questions() {
    std::string text;
    for (int i = 0; i < 4000; ++i) text += "0.25,\n";
    return text;
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

// In a window, which is made anew now and then, and after a kill.
TEST_F(StreamStateTest, WhatIsUnusualIsAsIfItHadNotBeenKilled) {
  const std::vector<std::string> ask_all{"stream", "--model", model_, "--window", "32", "--unusual"};
  std::vector<std::string> kept = ask_all;
  kept.insert(kept.end(), {"--state", (*this)("s"), "--save-every", "0"});
  Process process(command(kept));
  process.write(points(0, 90));
  std::string out;
  for (int i = 0; i <= 90; ++i) out += process.read_line() + "\n";  // with the header
  ask(process);  // what is answered has been saved, and all before it
  process.kill(SIGKILL);
  process.wait();
  out += output_of(kept, points(90, 110)).substr(std::string("x,y,mean,std,z,unusual\n").size());
  EXPECT_EQ(out, output_of(ask_all, points(0, 200)));
}

TEST_F(StreamStateTest, AnIdleStreamIsSavedWhenItIsTime) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "0.2"});
  Process process(command(arguments));
  process.write(points(0, 20));
  await_points("s", 20);
}

TEST_F(StreamStateTest, SignalsSaveAndLeave) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const std::string state = "s" + std::to_string(signal);
    Process process(command(stream(state)));
    process.write(points(0, 30));
    process.read_line();
    ask(process);
    process.write("7,7\n0.5,1.2");  // the second row is not whole yet, and must not be taken for 1.2
    process.await_input_read();
    process.kill(signal);
    const ProcessResult result = process.wait_with_open_input();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(points_in(state), 31U);
  }
}

TEST_F(StreamStateTest, ASignalBeforeTheHeader) {
  Process process(command(stream("s")));
  process.await_handler(SIGTERM);
  process.kill(SIGTERM);
  EXPECT_EQ(process.wait_with_open_input().exit_code, 128 + SIGTERM);
}

TEST_F(StreamStateTest, HalfARowDoesNotKeepItFromBeingSaved) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "0.2"});
  Process process(command(arguments));
  process.write(points(0, 20) + "0.");
  await_points("s", 20);
}

TEST_F(StreamStateTest, AReaderThatDoesNotReadKeepsNothingFromBeingSaved) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const std::string state = "s" + std::to_string(signal);
    Process process(command(stream(state)));
    process.write(points(0, 30));
    process.read_line();
    ask(process);
    process.write_and_stall("7,7\n" + many_questions());
    process.kill(signal);
    const ProcessResult result = process.wait_unread();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.err;
    EXPECT_EQ(points_in(state), 31U);
  }
}

TEST_F(StreamStateTest, SavingGoesOnWhileTheReaderDoesNotRead) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "1"});
  Process process(command(arguments));
  process.write_and_stall(points(0, 30) + many_questions());
  await_points("s", 30);
}

TEST_F(StreamStateTest, AnswersReachASlowReaderWhole) {
  const std::string input = points(0, 30) + many_questions() + "9,9\n0.75,\n";
  Process process(command({"stream", "--model", model_}));
  process.write_and_stall(input);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(csv_rows(result.out).size(), 4001U);
  EXPECT_EQ(csv_rows(result.out).back()[0], 0.75);
}

TEST_F(StreamStateTest, ASavingThatFailsIsTriedAgain) {
  std::vector<std::string> arguments = stream("s");
  arguments.insert(arguments.end(), {"--save-every", "0.1"});
  Process process(command(arguments));
  process.await_handler(SIGTERM);
  std::filesystem::create_directory(folder_ / "s");  // in its way
  process.write(points(0, 20));
  process.await_error("cmanp: warning: ");
  process.await_error("going on without");
  std::filesystem::remove(folder_ / "s");
  process.await_error("saved again");
  EXPECT_EQ(points_in("s"), 20U);
  std::filesystem::remove(folder_ / "s");
  std::filesystem::create_directory(folder_ / "s");
  process.write("7,7\n");
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 1) << "the last saving must succeed";
  EXPECT_NE(result.err.find("cmanp: error: cannot write "), std::string::npos) << result.err;
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

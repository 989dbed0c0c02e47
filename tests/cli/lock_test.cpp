// One process at a time at work on a state or on results.
#include <csignal>

#include "cli/cli_test.hpp"
#include "events/small_event_model.hpp"
#include "files/file_lock.hpp"

namespace cmanp::testing {
namespace {

class LockTest : public CliTest {
 protected:
  LockTest() { folder_.write("points.csv", points(0, 10)); }

  std::vector<std::string> stream(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"stream", "--model", model_, "--state", (*this)("s")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::size_t points_in_state() const { return json_of({"inspect", (*this)("s"), "--json"})["points"]; }

  // Expects a refusal that names the file, the process that has it, and the way to wait for it.
  void expect_held(const std::vector<std::string>& arguments, const std::string& file, pid_t holder) const {
    expect_refused(arguments, {(*this)(file) + ": process " + std::to_string(holder) + " is at work on it", "--wait"},
                   {.input = "x,y\n1,2\n"});
  }
};

TEST_F(LockTest, TheSecondStreamIsRefusedAndTheFirstKeepsAll) {
  Process first(command(stream()));
  first.write(points(0, 30) + "0.1,\n");
  first.read_line();
  first.read_line();
  expect_held(stream(), "s", first.id());
  expect_held({"condition", "--model", model_, "--state", (*this)("s"), (*this)("points.csv")}, "s", first.id());
  first.write("7,7\n");
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(points_in_state(), 31U);
}

TEST_F(LockTest, WaitingTakesUpWhatTheFirstLeft) {
  Process first(command(stream()));
  first.write(points(0, 30) + "0.1,\n");
  first.read_line();
  first.read_line();
  Process second(command(stream({"--wait"})));
  second.await_error("waiting for process " + std::to_string(first.id()));
  second.write(points(30, 5));
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(second.wait().exit_code, 0);
  EXPECT_EQ(points_in_state(), 35U);
}

TEST_F(LockTest, AKilledOneHoldsNothing) {
  Process first(command(stream()));
  first.write("x,y\n1,2\n0.1,\n");
  first.read_line();
  first.read_line();
  first.kill(SIGKILL);
  first.wait();
  output_of(stream(), points(0, 4));
  EXPECT_EQ(points_in_state(), 4U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".s.lock"));
}

TEST_F(LockTest, EveryVerbThatReplacesAFileAsksForIt) {
  write_small_event_model(folder_ / "events", small_event_config(0));
  output_of({"condition", "--model", model_, "--state", (*this)("part"), (*this)("points.csv")});
  for (const std::string file : {"s", "games.jsonl"}) {
    const files::FileLock lock = files::lock_for_update((*this)(file));
    if (file == "games.jsonl") {
      expect_held(
          {"bandit", "run", "--method", "uniform", "--rounds", "50", "--seeds", "1", "--results", (*this)(file)}, file,
          getpid());
      continue;
    }
    expect_held(stream(), file, getpid());
    expect_held({"events", "stream", "--model", (*this)("events"), "--state", (*this)("s")}, file, getpid());
    expect_held({"condition", "--model", model_, "--state", (*this)("s"), (*this)("points.csv")}, file, getpid());
    expect_held({"merge", (*this)("part"), (*this)("part"), "-o", (*this)("s")}, file, getpid());
  }
}

}  // namespace
}  // namespace cmanp::testing

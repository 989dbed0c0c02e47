// A disk that is full: exit code 1, a message, and what was there before is whole.
#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

class FullDiskTest : public CliTest {
 protected:
  FullDiskTest() {
    folder_.write("points.csv", points(0, 30));
    output_of({"condition", "--model", model_, "--state", (*this)("state"), (*this)("points.csv")});
  }

  // With files limited to 1,000 bytes, writing `name` fails, whether it was there before or not, and leaves no litter.
  void expect_refused_and_unchanged(const std::vector<std::string>& arguments, const std::string& name,
                                    const std::string& input = "") const {
    const ProcessOptions limited{.input = input, .file_size_limit = 1000};
    std::filesystem::remove(folder_ / name);
    const std::size_t entries = folder_.entries();
    expect_refused(arguments, {name, "File too large"}, limited);
    EXPECT_EQ(folder_.entries(), entries);
    folder_.write(name, "precious");
    expect_refused(arguments, {name, "File too large"}, limited);
    EXPECT_EQ(read_file(folder_ / name), "precious");
    EXPECT_EQ(folder_.entries(), entries + 1);
  }
};

TEST_F(FullDiskTest, StandardOutput) {
  const ProcessOptions full{.input = "x,y\n0,\n", .stdout_path = "/dev/full"};
  const std::string reason = "standard output: No space left on device";
  expect_refused({"predict", "--model", model_, "--targets", (*this)("points.csv"), "--state", (*this)("state")},
                 {reason}, full);
  expect_refused({"score", "--model", model_, "--targets", (*this)("points.csv"), "--state", (*this)("state")},
                 {reason}, full);
  expect_refused({"stream", "--model", model_}, {reason}, full);
  expect_refused({"stream", "--model", model_, "--skip-bad"}, {reason}, full);
  expect_refused({"inspect", model_}, {reason}, full);
  expect_refused({"--help"}, {reason}, full);
  expect_refused({"--version"}, {reason}, full);
}

TEST_F(FullDiskTest, Files) {
  expect_refused_and_unchanged({"condition", "--model", model_, "--state", (*this)("out"), (*this)("points.csv")},
                               "out");
  expect_refused_and_unchanged({"merge", (*this)("state"), (*this)("state"), "-o", (*this)("out")}, "out");
  expect_refused_and_unchanged({"init", "--preset", "nano", "-o", (*this)("out")}, "out");
}

TEST_F(FullDiskTest, StreamedState) {
  const std::string before = read_file(folder_ / "state");
  const ProcessOptions limited{.input = "x,y\n1,2\n", .file_size_limit = 1000};
  expect_refused({"stream", "--model", model_, "--state", (*this)("state")}, {"state", "File too large"}, limited);
  EXPECT_TRUE(read_file(folder_ / "state") == before) << "the state was changed";
}

TEST_F(FullDiskTest, AReaderThatLeavesIsNoError) {
  Process process(
      command({"predict", "--model", model_, "--targets", (*this)("points.csv"), "--state", (*this)("state")}),
      {.close_output = true});
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace cmanp::testing

// The stream as a conversation: order, promptness, batches, bad rows.
#include <sstream>

#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

class StreamTest : public CliTest {
 protected:
  std::string predict(const std::string& context, const std::string& targets) const {
    folder_.write("context.csv", context);
    folder_.write("targets.csv", targets);
    return output_of(
        {"predict", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("targets.csv")});
  }

  static void expect_near(const std::vector<std::vector<double>>& rows,
                          const std::vector<std::vector<double>>& expected) {
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < rows[i].size(); ++c) EXPECT_NEAR(rows[i][c], expected[i][c], 1e-5) << i << ' ' << c;
    }
  }
};

TEST_F(StreamTest, AnswersBeforeTheInputEnds) {
  Process process(command({"stream", "--model", model_}));
  process.write("x,y\n0.5,1\n-1,0.25\n0.1,\n");
  EXPECT_EQ(process.read_line(), "x,mean,std");
  EXPECT_TRUE(process.read_line().starts_with("0.1,"));
  process.write("0.7\n");  // a question may also end after its x
  EXPECT_TRUE(process.read_line().starts_with("0.7,"));
  process.write("0.");  // half a row
  process.write("9,\n");
  EXPECT_TRUE(process.read_line().starts_with("0.9,"));
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(StreamTest, EachQuestionSeesWhatCameBeforeItOnly) {
  const auto rows = csv_rows(output_of({"stream", "--model", model_}, "x,y\n0.1,\n0.5,1\n0.1,\n0.2,\n-1,0.25\n0.1,\n"));
  ASSERT_EQ(rows.size(), 4U);
  expect_near({rows[0]}, csv_rows(predict("x,y\n", "x\n0.1\n")));
  expect_near({rows[1], rows[2]}, csv_rows(predict("x,y\n0.5,1\n", "x\n0.1\n0.2\n")));
  expect_near({rows[3]}, csv_rows(predict("x,y\n0.5,1\n-1,0.25\n", "x\n0.1\n")));
}

TEST_F(StreamTest, ManyRowsAtOnceEqualPredict) {
  std::string questions = "x\n";
  std::string input = points(0, 20000);
  for (int i = 0; i < 3000; ++i) {
    const std::string x = std::to_string(i * 0.001 - 1.5);
    questions += x + "\n";
    input += x + ",\n";
  }
  expect_near(csv_rows(output_of({"stream", "--model", model_}, input)),
              csv_rows(predict(points(0, 20000), questions)));
}

TEST_F(StreamTest, JsonIsALineAnAnswer) {
  const nlohmann::json answer = json_of({"stream", "--model", model_, "--json"}, "x,y\n0.5,1\n-1,0.25\n0.1,\n");
  EXPECT_EQ(answer["x"], nlohmann::json({0.1}));
  EXPECT_EQ(answer["mean"].size(), 1U);
  EXPECT_GT(answer["std"][0], 0);
  EXPECT_EQ(answer["observed"], 2);
}

TEST_F(StreamTest, AheadAnswersForEveryRowBeforeItIsObserved) {
  const std::string input = "x,y\n0.5,1\n-1,0.25\n0.1,\n0.2,0.5\n";
  const std::string asked = "x,y\n0.5,\n0.5,1\n-1,\n-1,0.25\n0.1,\n0.2,\n0.2,0.5\n";
  const std::string out = output_of({"stream", "--model", model_, "--ahead"}, input);
  EXPECT_TRUE(out.starts_with("x,y,mean,std,z\n")) << out;
  EXPECT_NE(out.find("\n0.1,,"), std::string::npos) << out;
  const auto expected = csv_rows(output_of({"stream", "--model", model_}, asked));
  std::vector<nlohmann::json> lines;
  std::istringstream json_lines(output_of({"stream", "--model", model_, "--ahead", "--json"}, input));
  for (std::string line; std::getline(json_lines, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 4U);
  const std::vector<double> came{1, 0.25, 0, 0.5};
  for (std::size_t i = 0; i < 4; ++i) {
    const double mean = lines[i]["mean"][0], std = lines[i]["std"][0];
    EXPECT_EQ(mean, expected[i][1]);
    EXPECT_EQ(std, expected[i][2]);
    EXPECT_EQ(lines[i]["observed"], std::min<std::size_t>(i, 2));
    ASSERT_EQ(lines[i].contains("y"), i != 2);
    if (i == 2) continue;
    EXPECT_EQ(lines[i]["y"][0], came[i]);
    EXPECT_NEAR(lines[i]["z"][0].get<double>(), (came[i] - mean) / std, 1e-5);
  }
}

// A reading far from all before it, told once; of a question nothing is said.
TEST_F(StreamTest, UnusualSaysHowFarOutOfTheOrdinaryARowIs) {
  std::string input = "x,y\n";
  for (int i = 0; i < 60; ++i) input += i == 50 || i == 55 ? "0.5,9\n" : i % 2 == 0 ? "0.5,1\n" : "0.5,1.5\n";
  const std::vector<std::string> ask{"stream", "--model", model_, "--unusual"};
  const std::string out = output_of(ask, input + "0.5,\n");
  EXPECT_TRUE(out.starts_with("x,y,mean,std,z,unusual\n")) << out;
  EXPECT_TRUE(out.ends_with(",,\n")) << out;
  const auto rows = csv_rows(output_of(ask, input)),
             ahead = csv_rows(output_of({"stream", "--model", model_, "--ahead"}, input));
  std::vector<nlohmann::json> lines;
  std::istringstream json_lines(output_of({"stream", "--model", model_, "--unusual", "--json"}, input + "0.5,\n"));
  for (std::string line; std::getline(json_lines, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(rows.size(), 60U);
  ASSERT_EQ(lines.size(), 61U);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(std::vector(rows[i].begin(), rows[i].begin() + 5), ahead[i]);
    EXPECT_EQ(rows[i][5] > 5, i == 50) << i;
    EXPECT_EQ(lines[i]["unusual"][0], rows[i][5]);
  }
  EXPECT_FALSE(lines[60].contains("unusual"));
}

// What is refused was no part of the stream.
TEST_F(StreamTest, UnusualLearnsNothingFromBadRows) {
  std::string good = "x,y\n", bad = good;
  for (int i = 0; i < 60; ++i) {
    const std::string row = "0.5," + std::to_string(std::sin(i)) + "\n";
    good += row;
    bad += row + "0.5,1e300\n0.5,one\n1e300,1\n";
  }
  const ProcessResult skipped = cmanp({"stream", "--model", model_, "--unusual", "--skip-bad"}, bad);
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  const auto rows = csv_rows(output_of({"stream", "--model", model_, "--unusual"}, good));
  std::vector<std::vector<double>> kept;
  for (const auto& row : csv_rows(skipped.out)) {
    if (row[1] != 1e300) kept.push_back(row);
  }
  EXPECT_EQ(kept, rows);
}

TEST_F(StreamTest, ABadRowEndsItWithTheLine) {
  const ProcessResult result =
      cmanp({"stream", "--model", model_, "--state", (*this)("s")}, "x,y\n0.5,1\n0.1,\n1,one\n2,2\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(csv_rows(result.out).size(), 1U);  // what was asked before is answered
  EXPECT_NE(result.err.find("standard input:4:"), std::string::npos) << result.err;
  EXPECT_EQ(json_of({"inspect", (*this)("s"), "--json"})["points"], 1);  // and what was seen before is kept
}

TEST_F(StreamTest, SkipBadGoesOn) {
  const ProcessResult result = cmanp({"stream", "--model", model_, "--state", (*this)("s"), "--skip-bad"},
                                     "x,y\n0.5,1\n1,one\n1e300,1\n1e300,\n2,2\n1,2,3\n0.1,\n4,nan");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(csv_rows(result.out).size(), 1U) << result.out;
  for (const std::string line : {":3:", ":4:", ":5:", ":7:", ":9:"}) {
    EXPECT_NE(result.err.find("standard input" + line), std::string::npos) << result.err;
  }
  EXPECT_NE(result.err.find("5 bad rows skipped"), std::string::npos) << result.err;
  EXPECT_EQ(json_of({"inspect", (*this)("s"), "--json"})["points"], 2);
}

TEST_F(StreamTest, ALongLineIsABadRow) {
  const std::string input = "x,y\n0.5,1\n" + std::string(300'000, '1') + "\n2,2\n0.1,\n";
  const ProcessResult result = cmanp({"stream", "--model", model_, "--json", "--skip-bad"}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("standard input:3: a line of more than 262144 bytes; row skipped"), std::string::npos)
      << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["observed"], 2);
  expect_refused({"stream", "--model", model_}, {"standard input:3: a line of more than"}, {.input = input});
}

TEST_F(StreamTest, ALineOfAnyLengthIsABadRow) {
  const std::string input = "x,y\n0.5,1\n" + std::string(70'000'000, '1') + "\n2,2\n0.1,\n" + std::string(300'000, '2');
  const ProcessResult result = cmanp({"stream", "--model", model_, "--json", "--skip-bad"}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["observed"], 2);
  EXPECT_NE(result.err.find("standard input:3: a line of more than 262144 bytes; row skipped"), std::string::npos);
  EXPECT_NE(result.err.find("2 bad rows skipped"), std::string::npos) << result.err;
}

// A column that is named has to be there: without it, every reading would be a question.
TEST_F(StreamTest, ANamedColumnThatIsNotThereIsRefused) {
  expect_refused({"stream", "--model", model_, "--x", "time", "--y", "tmp"}, {"no column 'tmp'; did you mean 'temp'?"},
                 {.input = "time,temp,hum\n1,2,3\n"});
  expect_refused({"stream", "--model", model_}, {"standard input:2:", "not a finite number", "--skip-bad"},
                 {.input = "x,y\n1,nan\n"});
}

TEST_F(StreamTest, ABadHeaderIsRefusedAndWritesNoState) {
  expect_refused({"stream", "--model", model_, "--state", (*this)("s")}, {"standard input:1:", "'x'"},
                 {.input = "y\n1\n"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s"));
}

}  // namespace
}  // namespace cmanp::testing

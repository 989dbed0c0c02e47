// cmanp events, as its users run it.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli_test.hpp"
#include "events/small_event_model.hpp"

namespace cmanp::testing {
namespace {

class EventsCli : public CliTest {
 protected:
  EventsCli() {
    write_small_event_model(folder_ / "marked", small_event_config(3));
    write_small_event_model(folder_ / "unmarked", small_event_config(0), 0.0);
  }

  std::vector<std::string> stream(const std::string& model, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"events", "stream", "--model", (*this)(model)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(EventsCli, AnswersAfterEveryEvent) {
  const auto lines = lines_of(
      output_of(stream("marked", {"--horizon", "2", "--top", "2"}), "sequence,time,mark\nx,1,a\ny,1.5,b\nx,2,c\n"));
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines[0], "sequence,events,mean,median,low,high,within,mark1,probability1,mark2,probability2");
  EXPECT_TRUE(lines[1].starts_with("x,1,"));
  EXPECT_TRUE(lines[2].starts_with("y,1,"));
  EXPECT_TRUE(lines[3].starts_with("x,2,"));
}

TEST_F(EventsCli, LogsAreToldAsTheyAre) {
  folder_.write("log.csv", "user;when;what\nann;2024-05-31 12:00:02;a\nann;2024-05-31 12:00:00;b\n");
  const std::vector<std::string> inspect{"events", "inspect", (*this)("log.csv"), "--time-column", "when"};
  const ProcessResult result = cmanp(inspect);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("first time     2024-05-31T12:00:00Z"), std::string::npos) << result.out;
  for (const char* note : {"log.csv:1: no column 'sequence': all events are one sequence (--sequence-column",
                           "log.csv:1: no column 'mark': events are of one kind (--mark-column",
                           "note: events of 1 of 1 sequences are not in the order of time: sorted by it"}) {
    EXPECT_NE(result.err.find(note), std::string::npos) << result.err;
  }
  std::vector<std::string> misspelt = inspect;
  misspelt.insert(misspelt.end(), {"--mark-column", "whatt"});
  const ProcessResult refused = cmanp(misspelt);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("log.csv:1: no column 'whatt' (the header names 'user,when,what'); did you mean 'what'?"),
            std::string::npos)
      << refused.err;
}

TEST_F(EventsCli, JsonHasTheSame) {
  const std::string input = "time\n1\n1\n2.5\n";
  const auto text = csv_rows(output_of(stream("unmarked", {"--horizon", "2"}), input));
  const auto lines = lines_of(output_of(stream("unmarked", {"--horizon", "2", "--json"}), input));
  ASSERT_EQ(lines.size(), 3);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto answer = nlohmann::json::parse(lines[i]);
    EXPECT_EQ(answer["events"], text[i][0]);
    EXPECT_EQ(answer["mean"], text[i][1]);
    EXPECT_EQ(answer["median"], text[i][2]);
    EXPECT_EQ(answer["interval"][0], text[i][3]);
    EXPECT_EQ(answer["interval"][1], text[i][4]);
    EXPECT_EQ(answer["within"], text[i][5]);
    EXPECT_FALSE(answer.contains("marks"));
  }
}

TEST_F(EventsCli, QuestionsAreRowsWithoutATime) {
  const auto all = lines_of(output_of(stream("marked"), "sequence,time,mark\nx,1,a\nx,2,b\n"));
  const auto asked =
      lines_of(output_of(stream("marked", {"--on-request"}), "sequence,time,mark\nx,1,a\nx,2,b\nx,,\nnew,,\n"));
  ASSERT_EQ(asked.size(), 3);
  EXPECT_EQ(asked[1], all[2]);
  EXPECT_TRUE(asked[2].starts_with("new,0,"));  // answered before the first event, too
}

TEST_F(EventsCli, StatesOutliveTheProcess) {
  const auto whole = lines_of(output_of(stream("marked"), "sequence,time,mark\nx,1,a\ny,1,b\nx,2,b\ny,4,c\n"));
  output_of(stream("marked", {"--state", (*this)("states")}), "sequence,time,mark\nx,1,a\ny,1,b\n");
  const auto rest =
      lines_of(output_of(stream("marked", {"--state", (*this)("states")}), "sequence,time,mark\nx,2,b\ny,4,c\n"));
  EXPECT_EQ(rest[1], whole[3]);
  EXPECT_EQ(rest[2], whole[4]);
  EXPECT_EQ(json_of({"events", "inspect", (*this)("states"), "--json"})["sequences"], 2);
  expect_refused(stream("unmarked", {"--state", (*this)("states")}), {"states: states of another model"});
}

TEST_F(EventsCli, KilledItLeavesStatesThatLoad) {
  const auto whole = lines_of(output_of(stream("marked"), "sequence,time,mark\nx,1,a\ny,1,b\nx,2,b\n"));
  const std::string state = (*this)("states");
  Process process(command(stream("marked", {"--state", state, "--save-every", "0"})));
  process.write("sequence,time,mark\nx,1,a\ny,1,b\n");
  for (int line = 0; line < 3; ++line) process.read_line();  // what is answered is saved
  process.kill(SIGKILL);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  const auto rest = lines_of(output_of(stream("marked", {"--state", state}), "sequence,time,mark\nx,2,b\n"));
  EXPECT_EQ(rest[1], whole[3]);
}

TEST_F(EventsCli, AnIdleStreamIsSavedWhenItIsTime) {
  Process process(command(stream("marked", {"--state", (*this)("states"), "--save-every", "0.2"})));
  process.write("sequence,time,mark\nx,1,a\n");
  for (int i = 0; i < 6000 && !std::filesystem::exists(folder_ / "states"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(json_of({"events", "inspect", (*this)("states"), "--json"})["sequences"], 1);
}

TEST_F(EventsCli, BadRowsAreRefusedWithTheirPlace) {
  const auto refused = [&](const std::string& input, const std::string& part) {
    ProcessOptions options;
    options.input = input;
    const ProcessResult result = cmanp(stream("marked"), options);
    EXPECT_EQ(result.exit_code, 1) << input;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  refused("", "standard input: empty");
  refused("when,mark\n", "standard input:1: no column 'time'");
  refused("time\n1\n", "standard input:1: no column 'mark', but the model's events have marks");
  refused("time,mark\n2,a\n1,a\n", "standard input:3: time 1 comes after 2");
  refused("time,mark\n-2,a\n", "standard input:2: time -2 is not a finite number from 0 on");
  refused("time,mark\nsoon,a\n", "standard input:2: time 'soon' is not a number");
  refused("time,mark\n1,q\n", "standard input:2: mark 'q' is none of the 3 that the model knows");
  refused("time,mark\n1\n", "standard input:2: 1 fields, the header has 2");
  refused("sequence,time,mark\n\xff,1,a\n", "standard input:2: sequence '\\xff' is no UTF-8");
}

TEST_F(EventsCli, BadRowsAreSkippedWhereAskedFor) {
  const ProcessResult result = cmanp(stream("marked", {"--skip-bad"}), "time,mark\n1,a\n0,a\n2,q\n3,b\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(lines_of(result.out).size(), 3);
  EXPECT_NE(result.err.find("2 bad rows skipped"), std::string::npos) << result.err;
}

TEST_F(EventsCli, WhatIsReadBeforeABadRowIsKept) {
  const ProcessResult result = cmanp(stream("marked", {"--state", (*this)("states")}), "time,mark\n1,a\n2,b\nbad,a\n");
  EXPECT_EQ(lines_of(result.out).size(), 3);  // answered, too
  const auto lines = lines_of(output_of(stream("marked", {"--state", (*this)("states")}), "time,mark\n,\n"));
  EXPECT_TRUE(lines[1].starts_with("2,")) << lines[1];
}

TEST_F(EventsCli, InspectsEventsAndModels) {
  const std::string events = folder_.write("events.txt", "0:a 1:b 1:a\n5:a\n").string();
  const auto data = json_of({"events", "inspect", events, "--json"});
  EXPECT_EQ(data["sequences"], 2);
  EXPECT_EQ(data["events"], 4);
  EXPECT_EQ(data["marks"], 2);
  EXPECT_EQ(data["ties"], 1);
  EXPECT_EQ(data["of_one_event"], 1);
  const auto model = json_of({"events", "inspect", (*this)("marked"), "--json"});
  EXPECT_EQ(model["model"], "cmhp");
  EXPECT_EQ(model["domain"]["marks"], 3);
  EXPECT_EQ(json_of({"inspect", (*this)("marked"), "--json"})["runs_in"], "cmanp events");
  expect_refused({"events", "inspect", (*this)("missing")}, {"missing: no such file"});
  expect_refused({"events", "stream", "--model", model_}, {"need a model cmhp"});
}

TEST_F(EventsCli, SimulatesWhatItReads) {
  const std::vector<std::string> arguments{"events", "simulate", "--sequences", "5", "--marks", "3", "--seed", "2"};
  const std::string text = output_of(arguments);
  EXPECT_EQ(text, output_of(arguments));
  const std::string file = folder_.write("simulated.txt", text).string();
  const auto document = json_of({"events", "inspect", file, "--json"});
  EXPECT_EQ(document["sequences"], 5);
  EXPECT_EQ(document["marks"], 3);
  EXPECT_GT(document["marks_that_repeat_the_last"], 0.3);
  EXPECT_EQ(cmanp({"events", "simulate", "--jump", "1"}).exit_code, 2);
  expect_refused({"events", "simulate", "--rate", "1e9"}, {"about 5e+14 events"});
}

TEST_F(EventsCli, DrawsTheIntensity) {
  const std::string events = folder_.write("events.txt", "0:a 1:b 1:a 3:c 7:a\n5:a\n").string();
  const std::string picture = (*this)("picture.png");
  const ProcessResult result = cmanp({"events", "plot", "--model", (*this)("marked"), "--data", events, "-o", picture});
  if (result.err.find("gnuplot is not installed") != std::string::npos) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(read_file(picture).starts_with("\x89PNG"));
  expect_refused({"events", "plot", "--model", (*this)("marked"), "--data", events, "--sequence", "2", "-o", picture},
                 {"nothing to draw"});
}

}  // namespace
}  // namespace cmanp::testing

// Models in relative coordinates by the command line: ranges, what lies outside, states that know theirs.
#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class RangeTest : public CliTest {
 protected:
  RangeTest() {
    output_of({"init", "--preset", "nano", "--coordinates", "relative", "--spacing", "0.5", "-o", relative_});
    folder_.write("near.csv", "x,y\n0.25,0.5\n1.5,-0.25\n");
    folder_.write("far.csv", "x,y\n1000000.25,0.5\n1000001.5,-0.25\n");
    folder_.write("asked.csv", "x\n0.75\n-1\n");
    folder_.write("asked_far.csv", "x\n1000000.75\n999999\n");
  }

  ProcessResult predict(const std::string& context, const std::string& targets,
                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"predict",        "-m",        relative_,        "-c",
                                 (*this)(context), "--targets", (*this)(targets), "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return cmanp(all);
  }

  std::string relative_ = (*this)("relative.cmanp");
};

TEST_F(RangeTest, TheSameFunctionAMillionAway) {
  const auto near = nlohmann::json::parse(predict("near.csv", "asked.csv").out);
  const auto far = nlohmann::json::parse(predict("far.csv", "asked_far.csv", {"--range", "999998:1000002"}).out);
  for (const char* what : {"mean", "std"}) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(near[what][i][0].get<double>(), far[what][i][0].get<double>(), 1e-5) << what << i;
    }
  }
}

TEST_F(RangeTest, WhatLiesOutsideIsSaid) {
  const ProcessResult refused = predict("far.csv", "asked.csv");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("x is 1000000.25, outside of the range -2:2"), std::string::npos) << refused.err;
  const ProcessResult taken = predict("far.csv", "asked_far.csv", {"--outside", "warn"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_NE(taken.err.find("warning: observations outside of the range -2:2"), std::string::npos) << taken.err;
  EXPECT_NE(taken.err.find("warning: targets outside of the range -2:2"), std::string::npos) << taken.err;
  const ProcessResult stream = cmanp({"stream", "-m", relative_, "--range", "0:1"}, "x,y\n0.5,1\n7,\n8,\n0.5,\n9,\n");
  EXPECT_EQ(stream.exit_code, 0) << stream.err;
  EXPECT_EQ(csv_rows(stream.out).size(), 4U);
  const std::string word = "warning: targets outside of the range 0:1, the first at x = 7";
  ASSERT_NE(stream.err.find(word), std::string::npos) << stream.err;
  EXPECT_EQ(stream.err.find("warning", stream.err.find(word) + word.size()), std::string::npos) << stream.err;  // once
  const ProcessResult bad = cmanp({"stream", "-m", relative_, "--range", "0:1"}, "x,y\n0.5,1\n7,1\n");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("standard input:3: point 1: x is 7, outside of the range"), std::string::npos) << bad.err;
}

TEST_F(RangeTest, StatesKnowTheirRange) {
  output_of({"condition", "-m", relative_, "-s", (*this)("wide"), "--range", "-5:5", (*this)("near.csv")});
  output_of({"condition", "-m", relative_, "-s", (*this)("own"), (*this)("near.csv")});
  EXPECT_EQ(json_of({"inspect", (*this)("wide"), "--json"})["range"], "-5:5");
  for (const bool with_model : {false, true}) {
    std::vector<std::string> merge{"merge", (*this)("wide"), (*this)("own"), "-o", (*this)("both")};
    if (with_model) merge.insert(merge.end(), {"-m", relative_});
    expect_refused(merge, {"over the ranges -5:5 and -2:2 cannot be merged"});
  }
  output_of({"predict", "-m", relative_, "-s", (*this)("wide"), "--targets", (*this)("asked.csv")});
  expect_refused(
      {"predict", "-m", relative_, "-s", (*this)("wide"), "--targets", (*this)("asked.csv"), "--range", "-2:2"},
      {"wide", "-5:5, not -2:2"});
}

TEST_F(RangeTest, MemoryIsToldBeforehand) {
  const auto own = json_of({"inspect", relative_, "--json"});
  const auto wide = json_of({"inspect", relative_, "--json", "--range", "0:400"});
  EXPECT_EQ(own["range"], "-2:2");
  EXPECT_EQ(own["latents"], 11);
  EXPECT_EQ(wide["latents"], 803);
  EXPECT_EQ(wide["memory"]["weights"], own["memory"]["weights"]);
  EXPECT_GT(wide["memory"]["state"].get<double>(), 40 * own["memory"]["state"].get<double>());
  EXPECT_GT(own["reach"]["observations"].get<double>(), 0);
}

TEST_F(RangeTest, WhatIsNoRangeIsRefused) {
  for (const char* text : {"", "1", "1:1", "2:1", "0:nan", "0:inf", "a:b", "0:1:2", "0:1,", ":", "0:1,,2:3"}) {
    EXPECT_EQ(predict("near.csv", "asked.csv", {"--range", text}).exit_code, 2) << text;
  }
  for (const char* text : {"0:1e12", "0:1,0:1", "0:1e300"}) {
    const ProcessResult result = predict("near.csv", "asked.csv", {"--range", text});
    EXPECT_EQ(result.exit_code, 1) << text;
    EXPECT_NE(result.err.find("a range"), std::string::npos) << result.err;
  }
  expect_refused(
      {"predict", "-m", model_, "-c", (*this)("near.csv"), "--targets", (*this)("asked.csv"), "--range", "0:1"},
      {"a range is for models in relative coordinates"});
}

}  // namespace
}  // namespace cmanp::testing

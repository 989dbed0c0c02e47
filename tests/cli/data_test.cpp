// cmanp data: tables checked, pictures packed and described; what cannot be had is said.
#include <fmt/format.h>

#include "cli_test.hpp"
#include "images/make_pictures.hpp"
#include "images/picture_file.hpp"

namespace cmanp::testing {
namespace {

using DataVerb = CliTest;
using nlohmann::json;

TEST_F(DataVerb, PacksAFolderAndDescribesIt) {
  std::filesystem::create_directories(folder_ / "faces");
  for (const char* name : {"a", "b", "c"}) {
    folder_.write(std::string("faces/") + name + ".png", make_png(sample_image(40, 30, 3)));
  }
  folder_.write("faces/broken.jpg", "\xFF\xD8\xFF\xE0");
  const ProcessResult packed = cmanp({"data", "pack", (*this)("faces"), "--resolution", "16", "--test-share", "0.5",
                                      "-o", (*this)("f.images"), "--json"});
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_NE(packed.err.find("left out: " + (*this)("faces/broken.jpg")), std::string::npos) << packed.err;
  const json told = json_of({"data", "info", (*this)("f.images"), "--json"});
  EXPECT_EQ(told, json::parse(packed.out));
  EXPECT_EQ(told["pictures"], 3);
  EXPECT_EQ(told["left_out"], 1);
  EXPECT_EQ(told["train"].get<int>() + told["test"].get<int>(), 3);
  EXPECT_GE(told["test"], 1);
  EXPECT_EQ(told["height"], 16);
  EXPECT_EQ(told["channels"], 3);
}

TEST_F(DataVerb, WritesAPictureToTestOn) {
  std::filesystem::create_directories(folder_ / "faces");
  const images::Image face = sample_image(16, 16, 3);
  for (const char* name : {"a", "b"}) folder_.write(std::string("faces/") + name + ".png", make_png(face));
  const std::vector<std::string> pack{"data", "pack", (*this)("faces"),   "--resolution", "16", "--test-share",
                                      "0.5",  "-o",   (*this)("f.images")};
  ASSERT_EQ(cmanp(pack).exit_code, 0);
  const json told = json_of({"data", "picture", (*this)("f.images"), "-o", (*this)("p.png"), "--json"});
  EXPECT_TRUE(told["class"].is_null());
  EXPECT_EQ(images::read_picture(folder_ / "p.png").pixels, face.pixels);
  expect_refused({"data", "picture", (*this)("f.images"), "--index", "1", "-o", (*this)("q.png")},
                 {"f.images", "has 1 pictures to test on", "there is no 1"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "q.png"));
}

TEST_F(DataVerb, RefusesWhatItCanNotDo) {
  std::filesystem::create_directories(folder_ / "empty");
  expect_refused({"data", "pack", (*this)("empty"), "-o", (*this)("x")}, {"empty", "holds no pictures"});
  expect_refused({"data", "pack", (*this)("none"), "-o", (*this)("x")}, {"none", "no such file or folder"});
  expect_refused({"data", "info", (*this)("small.cmanp")}, {"small.cmanp"});
  folder_.write("cut.images", "cmanp pictures\r\n{}");
  expect_refused({"data", "info", (*this)("cut.images")}, {"cut.images", "cut short"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

TEST_F(DataVerb, ChecksATable) {
  folder_.write("t.csv", "station,when,temperature\na,2024-01-01,1\na,2024-01-02,2\nb,2024-01-01,\nb,2024-01-01,5\n");
  const json told = json_of({"data", "check", (*this)("t.csv"), "--json"});
  EXPECT_EQ(told["rows"], 4);
  EXPECT_EQ(told["group"], "station");
  EXPECT_EQ(told["x"], "when");
  EXPECT_EQ(told["y"], json::array({"temperature"}));
  EXPECT_EQ(told["duplicates"], 1);
  EXPECT_EQ(told["columns"][1]["lowest"], "2024-01-01T00:00:00Z");
  EXPECT_EQ(told["columns"][2]["missing"], 1);
  const std::string text = output_of({"data", "check", (*this)("t.csv")});
  EXPECT_NE(text.find("2 groups of 2 to 2 rows"), std::string::npos) << text;
  EXPECT_NE(text.find("t.csv:5"), std::string::npos) << text;
  EXPECT_NE(
      text.find("not to be trained on as it is: " + (*this)("t.csv") + ":5: 1 of 4 rows have the 'when' of another"),
      std::string::npos)
      << text;
  folder_.write("t.csv", "station,hour,temperature\na,1,1\na,2,2\na,3,5\na,4,2\na,5,3\n");
  const std::string next = output_of({"data", "check", (*this)("t.csv")});
  EXPECT_NE(next.find("t.csv --x hour --y temperature --out runs/t\n"), std::string::npos) << next;
  expect_refused({"data", "check", (*this)("t.csv"), "--y", "temprature"}, {"did you mean 'temperature'?"});
  folder_.write("bad.csv", "x,y\n1,2\n2,3,4\n");
  expect_refused({"data", "check", (*this)("bad.csv")}, {"bad.csv:3", "3 fields, the header has 2"});
}

// As R writes it, with its row numbers; few are sold, and none on Sundays.
TEST_F(DataVerb, ForecastsKnowNoCountsBelowZeroAndNoDaysOffWork) {
  std::string table = "\"\",\"date\",\"sold\"\n";
  int row = 0;
  for (int day = 1; day <= 31; ++day) {  // the first of January 2024 is a Monday
    if (day % 7 == 0) continue;
    table += fmt::format("\"{}\",2024-01-{:02},{}\n", ++row, day, day % 5 == 0 ? 3 : 0);
  }
  folder_.write("sold.csv", table);
  const json told =
      json_of({"forecast", "--model", "universal", "--data", (*this)("sold.csv"), "--horizon", "6", "--json"});
  EXPECT_EQ(told["column"], "sold");
  EXPECT_EQ(told["x"], json::array({"2024-02-01T00:00:00Z", "2024-02-02T00:00:00Z", "2024-02-03T00:00:00Z",
                                    "2024-02-05T00:00:00Z", "2024-02-06T00:00:00Z", "2024-02-07T00:00:00Z"}));
  for (const char* key : {"mean", "low_90", "low_95", "high_95"}) {
    for (const double value : told[key]) EXPECT_GE(value, 0) << key;
  }
}

TEST_F(DataVerb, ForecastsReadOnlyWhatTheyAreAskedFor) {
  std::string table = "other,date,time,y\n";
  for (int i = 0; i < 72; ++i) {
    table += fmt::format("{},2024-01-{:02},{:02}:00,{}.5\n", i == 60 ? "nil" : "2.5", 1 + i / 24, i % 24, i * 7 % 11);
  }
  folder_.write("nil.csv", table);
  const std::vector<std::string> ask = {"forecast",         "--model",   "universal", "--data",
                                        (*this)("nil.csv"), "--horizon", "2"};
  std::vector<std::string> of_y = ask;
  of_y.insert(of_y.end(), {"--y", "y"});
  const ProcessResult result = cmanp(of_y);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("note: columns 'date' and 'time' are a time together: 'date+time'"), std::string::npos)
      << result.err;
  EXPECT_NE(result.out.find("\n2024-01-04T00:00:00Z,y,"), std::string::npos) << result.out;
  expect_refused(ask, {"nil.csv:62", "'nil' is not a number", "--y names the columns"});
  EXPECT_EQ(json_of({"data", "check", (*this)("nil.csv"), "--json"})["columns"][0]["unreadable"]["count"], 1);
}

TEST_F(DataVerb, WhatNeverChangedGoesOnAsItIs) {
  std::string table = "t,y\n";
  for (int i = 0; i < 30; ++i) table += fmt::format("{},-7.5\n", i);
  folder_.write("same.csv", table);
  const json told =
      json_of({"forecast", "--model", "universal", "--data", (*this)("same.csv"), "--horizon", "3", "--json"});
  EXPECT_EQ(told["mean"], json::array({-7.5, -7.5, -7.5}));
  EXPECT_LT(told["low_95"][2], -7.5);
}

TEST_F(DataVerb, ForecastsGoAlongRowsAndGroupsOfTwoColumns) {
  std::string table = "a,b,y\n";
  for (int i = 0; i < 40; ++i) table += fmt::format("{},{},{}.5\n", i % 2 ? "p" : "q", i / 20 + 1, i * 7 % 11);
  folder_.write("rows.csv", table);
  expect_refused({"forecast", "--model", "universal", "--data", (*this)("rows.csv"), "--horizon", "2", "--y", "y"},
                 {"rows.csv:2", "--x rows takes the rows in their order"});
  const std::string text = output_of({"forecast", "--model", "universal", "--data", (*this)("rows.csv"), "--horizon",
                                      "2", "--group", "a+b", "--x", "rows", "--y", "y"});
  EXPECT_TRUE(text.starts_with("a+b,rows,column,mean")) << text;
  EXPECT_NE(text.find("\n\"p, 2\",42,y,"), std::string::npos) << text;
}

TEST_F(DataVerb, UsageIsChecked) {
  const auto expect = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const ProcessResult result = cmanp(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  expect({"data"}, "a verb is missing");
  expect({"data", "packk"}, "unknown verb packk; did you mean pack?");
  if (has_training_half()) expect({"data", "get", "imagenet"}, "imagenet");
  expect({"data", "pack", "x", "-o", "y", "--resolutoin", "3"}, "did you mean --resolution?");
  expect({"data", "pack", "x", "-o", "y", "--channels", "2"}, "--channels");
  EXPECT_NE(output_of({"data", "pack", "--help"}).find("Example"), std::string::npos);
}

TEST_F(DataVerb, SaysWhenAPackageManagerIsMissing) {
  if (!has_training_half()) GTEST_SKIP() << "built without the training half, which fetches";
  for (const char* name : {"mnist", "fashion-mnist"}) {
    const ProcessResult result = run_process(
        {"/usr/bin/env", "PATH=" + (*this)("nothing"), command({})[0], "data", "get", name, "--into", (*this)("d")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("is not installed"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "d"));
    EXPECT_EQ(folder_.entries(), 1U);  // the model: nothing is left behind
  }
}

}  // namespace
}  // namespace cmanp::testing

// A stranger's data: any units, times, missing values, without a flag. The model is one of ours that says it works in
// frames; it knows x from -2 to 2 and y of spread 1, which is what frames bring data to.
#include <fmt/format.h>

#include <cmath>

#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class FramesTest : public CliTest {
 protected:
  FramesTest() {
    const std::string plain = read_file(std::string(CMANP_SOURCE_DIR) + "/models/gp-absolute-nano.cmanp");
    framed_ = folder_
                  .write("framed.cmanp", with_header(plain,
                                                     [](nlohmann::json& header) {
                                                       std::string config = header["__metadata__"]["config"];
                                                       config.insert(1, "\"frames\":\"signals\",");
                                                       header["__metadata__"]["config"] = config;
                                                     }))
                  .string();
    folder_.write("sensor.csv", sensor(60));
    folder_.write("asked.csv", "x\n930\n1530\n2730\n");
  }

  // Seconds and degrees.
  static double degrees(double seconds) { return 22.5 + 1.5 * std::sin(seconds / 400); }
  static std::string sensor(int rows, int from = 0) {
    std::string text = "x,y\n";
    for (int i = from; i < from + rows; ++i)
      text += std::to_string(60 * i) + "," + std::to_string(degrees(60 * i)) + "\n";
    return text;
  }

  std::vector<std::string> predict(const std::string& context, const std::string& targets) const {
    return {"predict", "--model", framed_, "--context", (*this)(context), "--targets", (*this)(targets)};
  }

  std::string framed_;
};

TEST_F(FramesTest, TheSensorInItsOwnUnitsWithoutAFlag) {
  const ProcessResult result = cmanp(predict("sensor.csv", "asked.csv"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("note: frame: x 0 to 3540 at -2 to 2, y 2"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;  // and no warning
  for (const auto& row : csv_rows(result.out)) {
    EXPECT_NEAR(row[1], degrees(row[0]), 0.2);
    EXPECT_LT(row[2], 0.3);
  }
}

TEST_F(FramesTest, FlagsSetTheFrame) {
  std::vector<std::string> ask = predict("sensor.csv", "asked.csv");
  const ProcessResult found = cmanp(ask);
  const std::size_t at = found.err.find("--x-frame");
  std::string flags = found.err.substr(at);
  const std::string x = flags.substr(10, flags.find(' ', 10) - 10), y = flags.substr(flags.find("--y-frame ") + 10);
  ask.insert(ask.end(), {"--x-frame", x, "--y-frame", y.substr(0, y.find('\n'))});
  const auto again = csv_rows(output_of(ask)), before = csv_rows(found.out);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(again[i][1], before[i][1], 1e-3);
  // A model that does not work in frames takes one all the same.
  ask[2] = std::string(CMANP_SOURCE_DIR) + "/models/gp-absolute-nano.cmanp";
  const auto plain = csv_rows(output_of(ask));
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(plain[i][1], before[i][1], 1e-3);
  for (const char* none : {"5:5", "7:3", "x", "nan:2"}) {
    EXPECT_EQ(cmanp({"predict", "--model", framed_, "--targets", (*this)("asked.csv"), "--x-frame", none}).exit_code,
              2);
  }
}

TEST_F(FramesTest, LikelihoodsAreInTheDatasUnits) {
  const auto score = [&](double unit) -> double {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + std::to_string(unit * degrees(60 * i)) + "\n";
    folder_.write("scored.csv", text);
    return json_of({"score", "--model", framed_, "--context", (*this)("scored.csv"), "--targets", (*this)("scored.csv"),
                    "--json"})["log_likelihood"];
  };
  EXPECT_NEAR(score(1000), score(1) - std::log(1000), 0.05);
}

TEST_F(FramesTest, StatesKeepTheFrameAndMergeOnlyByTheSame) {
  folder_.write("more.csv", sensor(20, 60));
  output_of({"condition", "--model", framed_, "--state", (*this)("a"), (*this)("sensor.csv")});
  const nlohmann::json frame = json_of({"inspect", (*this)("a"), "--json"})["frame"];
  EXPECT_EQ(frame["x_shift"], (nlohmann::json{1770}));
  // Asked, and gone on with, in the same units.
  const auto answers = csv_rows(output_of({"predict", "--model", framed_, "--state", (*this)("a"), "--context",
                                           (*this)("more.csv"), "--targets", (*this)("asked.csv")}));
  for (const auto& row : answers) EXPECT_NEAR(row[1], degrees(row[0]), 0.5);  // some lie beyond what it was trained for
  output_of({"condition", "--model", framed_, "--state", (*this)("b"), (*this)("more.csv")});
  expect_refused({"merge", (*this)("a"), (*this)("b"), "-o", (*this)("c")}, {"different frames", "--x-frame"});
  expect_refused({"merge", (*this)("a"), (*this)("b"), "-o", (*this)("c"), "--model", framed_}, {"different frames"});
  for (const char* name : {"a", "b"}) {
    output_of({"condition", "--model", framed_, "--x-frame", "0:5000", "--y-frame", "20:25", "--state", (*this)(name),
               (*this)(name[0] == 'a' ? "sensor.csv" : "more.csv")});
  }
  output_of({"merge", (*this)("a"), (*this)("b"), "-o", (*this)("c")});
  EXPECT_EQ(json_of({"inspect", (*this)("c"), "--json"})["points"], 80);
  expect_refused({"predict", "--model", framed_, "--state", (*this)("c"), "--targets", (*this)("asked.csv"),
                  "--x-frame", "0:1", "--y-frame", "0:1"},
                 {"has the frame"});
}

TEST_F(FramesTest, AStreamFindsItsFrameOrIsToldIt) {
  const std::string rows = sensor(40) + "930,\n";
  const ProcessResult found = cmanp({"stream", "--model", framed_, "--state", (*this)("s")}, rows);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.err.find("frame: x 0 to 1860 at -2 to 2"), std::string::npos) << found.err;
  EXPECT_NEAR(csv_rows(found.out).at(0)[1], degrees(930), 0.3);
  const ProcessResult given =
      cmanp({"stream", "--model", framed_, "--x-frame", "0:3600", "--y-frame", "20:25"}, sensor(10) + "300,\n");
  EXPECT_NEAR(csv_rows(given.out).at(0)[1], degrees(300), 0.3);
  // Too few yet: wide answers about what was seen.
  const ProcessResult early = cmanp({"stream", "--model", framed_, "--state", (*this)("e")}, sensor(10) + "300,\n");
  EXPECT_NEAR(csv_rows(early.out).at(0)[1], 23, 2);
  EXPECT_GT(csv_rows(early.out).at(0)[2], 0.5);
  EXPECT_EQ(json_of({"inspect", (*this)("e"), "--json"})["frame"], "yet to be found");
  // It goes on where it was.
  const ProcessResult later = cmanp({"stream", "--model", framed_, "--state", (*this)("e")}, sensor(30, 10) + "930,\n");
  EXPECT_NEAR(csv_rows(later.out).at(0)[1], degrees(930), 0.3);
  EXPECT_EQ(cmanp({"stream", "--model", framed_, "--x-frame", "0:1"}, rows).exit_code, 2);
}

// A window goes on with its data: they are outside of nothing.
TEST_F(FramesTest, AStreamThatGoesOnFromItsStateWarnsOfNoRange) {
  const std::string relative = std::string(CMANP_SOURCE_DIR) + "/models/universal-nano.cmanp";
  cmanp({"stream", "--model", relative, "--state", (*this)("s")}, sensor(40));
  const ProcessResult later = cmanp({"stream", "--model", relative, "--state", (*this)("s")}, sensor(200, 40));
  EXPECT_EQ(later.exit_code, 0) << later.err;
  EXPECT_EQ(later.err.find("outside of the range"), std::string::npos) << later.err;
  const ProcessResult kept = cmanp({"stream", "--model", relative, "--window", "0"}, sensor(600));
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_NE(kept.err.find("with a window (--window)"), std::string::npos) << kept.err;
}

// A meter: what is known of it is finer than floats are there.
TEST_F(FramesTest, LargeNumbersHaveTheDigitsThatTheirDeviationsAskFor) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{:.2f}\n", 60 * i, 1e8 + 0.4 * degrees(60 * i));
  folder_.write("meter.csv", rows);
  const auto plain = csv_rows(cmanp(predict("meter.csv", "asked.csv")).out);
  const nlohmann::json exact = json_of(
      {"predict", "--model", framed_, "--context", (*this)("meter.csv"), "--targets", (*this)("asked.csv"), "--json"});
  const auto streamed = csv_rows(cmanp({"stream", "--model", framed_}, rows + "930,\n").out);
  EXPECT_NEAR(streamed.at(0)[1], 1e8 + 0.4 * degrees(930), 0.5);
  EXPECT_NE(std::fmod(streamed.at(0)[1], 1), 0);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(plain[i][1], exact["mean"][i][0].get<double>(), 1e-2 * plain[i][2]);
    EXPECT_NE(plain[i][1], static_cast<double>(static_cast<float>(plain[i][1])));
  }
}

TEST_F(FramesTest, TimesAreSecondsAndComeBackAsTimes) {
  std::string text = "x,y\n";
  for (int i = 0; i < 24; ++i) {
    text += "2024-05-31T" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ":00:00Z," +
            std::to_string(degrees(100 * i)) + "\n";
  }
  folder_.write("times.csv", text);
  folder_.write("at.csv", "x\n2024-05-31 12:30\n");
  const ProcessResult result = cmanp(predict("times.csv", "at.csv"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("x 2024-05-31T00:00:00Z to 2024-05-31T23:00:00Z"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("seconds since 1970"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("\n2024-05-31T12:30:00Z,"), std::string::npos) << result.out;
  // A stream's come back as well, in CSV and in JSON.
  const ProcessResult stream = cmanp({"stream", "--model", framed_, "--warm-up", "8"}, text + "2024-05-31 12:30,\n");
  EXPECT_NE(stream.out.find("\n2024-05-31T12:30:00Z,"), std::string::npos) << stream.out;
  EXPECT_NE(stream.err.find("x 2024-05-31T"), std::string::npos) << stream.err;
  const ProcessResult lines = cmanp({"stream", "--model", framed_, "--json"}, text + "2024-05-31 12:30,\n");
  EXPECT_NE(lines.out.find("{\"x\":[\"2024-05-31T12:30:00Z\"],\"mean\""), std::string::npos) << lines.out;
  const std::vector<std::string> drawn{"plot", "--model",    framed_, "--context",         (*this)("times.csv"),
                                       "--to", "2024-06-02", "-o",    (*this)("times.svg")};
  EXPECT_EQ(cmanp(drawn).exit_code, 0);
  EXPECT_NE(read_file(folder_ / "times.svg").find("05-31"), std::string::npos);
  folder_.write("bad.csv", "x,y\n2024-13-01,1\n");
  expect_refused(predict("bad.csv", "at.csv"), {"bad.csv:2", "is not a number"});
}

// What comes first in 05/06/2024 is told by the file's other rows; where none tells, it is refused.
TEST_F(FramesTest, DatesAreReadByAllOfAFile) {
  std::string text = "x,y\n";
  for (int day = 1; day <= 20; ++day) text += fmt::format("05/{:02}/2024,{}\n", day, degrees(100 * day));
  folder_.write("dates.csv", text);
  folder_.write("at.csv", "x\n2024-05-07\n");
  const ProcessResult result = cmanp(predict("dates.csv", "at.csv"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("x 2024-05-01T00:00:00Z to 2024-05-20T00:00:00Z"), std::string::npos) << result.err;
  folder_.write("unclear.csv", "x,y\n05/06/2024,1\n06/06/2024,2\n");
  expect_refused(predict("unclear.csv", "at.csv"), {"unclear.csv:2", "does not say whether the day or the month"});
}

TEST_F(FramesTest, ColumnsOfAWideTableByTheirNames) {
  std::string wide = "id;celsius;room;seconds\n";
  for (int i = 0; i < 60; ++i) {
    std::string value = std::to_string(degrees(60 * i));
    value.replace(value.find('.'), 1, ",");
    wide += std::to_string(i) + ";" + value + ";\"kitchen; left\";" + std::to_string(60 * i) + "\n";
  }
  folder_.write("wide.csv", wide);
  const std::vector<std::string> named = {"--x", "seconds", "--y", "celsius"};
  const auto with = [&](std::vector<std::string> ask) {
    ask.insert(ask.end(), named.begin(), named.end());
    return ask;
  };
  folder_.write("at.csv", "seconds\n930\n1530\n2730\n");
  EXPECT_EQ(cmanp(with(predict("wide.csv", "at.csv"))).out, cmanp(predict("sensor.csv", "asked.csv")).out);
  EXPECT_EQ(csv_rows(cmanp(with(predict("wide.csv", "wide.csv"))).out).size(), 60U);
  const ProcessResult stream = cmanp(with({"stream", "--model", framed_}), wide + "60;;hall;930\n");
  EXPECT_NEAR(csv_rows(stream.out).at(0)[1], degrees(930), 0.3) << stream.err;
  expect_refused(predict("wide.csv", "at.csv"), {"wide.csv:1", "--x and --y name the columns"});
}

TEST_F(FramesTest, MissingValuesAreSkippedWhenAsked) {
  folder_.write("gaps.csv", "x,y\n0,20\n60,\n120,NaN\n180,22\n240,23\n");
  std::vector<std::string> ask = predict("gaps.csv", "asked.csv");
  expect_refused(ask, {"gaps.csv:3", "empty"});
  ask.insert(ask.end(), {"--missing", "skip"});
  const ProcessResult result = cmanp(ask);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("2 points without a y skipped"), std::string::npos) << result.err;
  folder_.write("x.csv", "x,y\n,20\n");
  std::vector<std::string> no_x = predict("x.csv", "asked.csv");
  no_x.insert(no_x.end(), {"--missing", "skip"});
  expect_refused(no_x, {"x.csv:2", "empty"});
}

TEST_F(FramesTest, ConstantFewAndNoPointsHaveDefinedAnswers) {
  for (const std::string rows : {"", "5,7\n", "5,7\n6,7\n", "5,7\n5,8\n5,9\n", "1,0\n2,0\n3,0\n", "1,-4\n2,-4\n"}) {
    folder_.write("few.csv", "x,y\n" + rows);
    const ProcessResult result = cmanp(predict("few.csv", "asked.csv"));
    EXPECT_EQ(result.exit_code, 0) << rows << result.err;
    for (const auto& row : csv_rows(result.out)) EXPECT_TRUE(std::isfinite(row[1]) && row[2] > 0) << rows << result.out;
  }
}

}  // namespace
}  // namespace cmanp::testing

// cmanp units, and warnings where a model is given what it does not know.
#include <cmath>

#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class UnitsTest : public CliTest {
 protected:
  // A sensor: seconds and degrees.
  UnitsTest() {
    folder_.write("sensor.csv", sensor(0, 60));
    folder_.write("later.csv", sensor(30, 37));
  }

  static std::string sensor(double from, int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) {
      const double x = from + 3600.0 / 60 * i, y = 22.5 + 1.5 * std::sin(x / 600);
      text += std::to_string(x) + "," + std::to_string(y) + "\n";
    }
    return text;
  }

  const std::string gp_ = std::string(CMANP_SOURCE_DIR) + "/models/gp-absolute-nano.cmanp";
};

TEST_F(UnitsTest, AModelAnswersInTheUnitsOfTheData) {
  const nlohmann::json made = json_of({"units", gp_, "--x", "0:3600", "--y", "20:25", "-o", (*this)("m"), "--json"});
  EXPECT_EQ(made["normalisation"],
            (nlohmann::json{{"x_shift", {1800}}, {"x_scale", {900}}, {"y_shift", {22.5}}, {"y_scale", {1.25}}}));
  EXPECT_EQ(made["hash"], json_of({"inspect", (*this)("m"), "--json"})["hash"]);
  EXPECT_NE(made["hash"], json_of({"inspect", gp_, "--json"})["hash"]);
  const ProcessResult answers = cmanp(
      {"predict", "--model", (*this)("m"), "--context", (*this)("sensor.csv"), "--targets", (*this)("later.csv")});
  EXPECT_EQ(answers.err, "");
  for (const auto& row : csv_rows(answers.out)) EXPECT_NEAR(row[1], 22.5 + 1.5 * std::sin(row[0] / 600), 0.5);
}

// The same points in two units: the likelihood of the second has the Jacobian of the first.
TEST_F(UnitsTest, LikelihoodsHaveTheirJacobian) {
  output_of({"units", gp_, "--x", "-4:4", "--y", "-20:20", "-o", (*this)("tens")});
  folder_.write("ones.csv", "x,y\n0.5,1\n1,0.5\n1.5,-0.25\n");
  folder_.write("tens.csv", "x,y\n1,10\n2,5\n3,-2.5\n");
  const auto score = [&](const std::string& model, const std::string& data) -> double {
    return json_of({"score", "--model", model, "--context", (*this)(data), "--targets", (*this)(data),
                    "--json"})["log_likelihood"];
  };
  EXPECT_NEAR(score((*this)("tens"), "tens.csv"), score(gp_, "ones.csv") - std::log(10), 1e-4);
}

TEST_F(UnitsTest, StretchesThatAreNoneAreRefused) {
  for (const char* stretch : {"", "5", "3:1", "2:2", "a:b", "nan:1", "0:inf", "1:2:3", ":", "-1e308:1e308"}) {
    const ProcessResult result = cmanp({"units", gp_, "--x", stretch, "-o", (*this)("m")});
    EXPECT_EQ(result.exit_code, 2) << stretch << result.err;
    EXPECT_NE(result.err.find("--x"), std::string::npos) << result.err;
  }
  EXPECT_EQ(cmanp({"units", gp_, "-o", (*this)("m")}).exit_code, 2);
  expect_refused({"units", gp_, "--x", "0:1", "--x", "0:2", "-o", (*this)("m")}, {"--x: 2 are given"});
  expect_refused({"units", (*this)("sensor.csv"), "--x", "0:1", "-o", (*this)("m")}, {"sensor.csv"});
  expect_refused({"units", std::string(CMANP_SOURCE_DIR) + "/models/cascades.cmanp", "--x", "0:1", "-o", (*this)("m")},
                 {"is no model of points"});
  EXPECT_EQ(cmanp({"units", gp_, "--x", "2024-01-01:2024-12-31T12:00", "-o", (*this)("m")}).exit_code, 0);
}

TEST_F(UnitsTest, WhatAModelDoesNotKnowIsWarnedOf) {
  const std::vector<std::string> ask{"predict",   "--model",           gp_, "--context", (*this)("sensor.csv"),
                                     "--targets", (*this)("later.csv")};
  const ProcessResult warned = cmanp(ask);
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_NE(warned.err.find("warning: beyond what the model knows: x from 0 to 3540 (it knows -2 to 2), and y from "),
            std::string::npos)
      << warned.err;
  std::vector<std::string> strict = ask;
  strict.push_back("--strict");
  expect_refused(strict, {"sensor.csv:2", "y is 22.5", "beyond what the model knows", "cmanp units"});
  expect_refused({"condition", "--model", gp_, "--strict", "--state", (*this)("s"), (*this)("sensor.csv")},
                 {"sensor.csv:2"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s"));
  const ProcessResult score = cmanp({"score", "--model", gp_, "--strict", "--targets", (*this)("later.csv")});
  EXPECT_EQ(score.exit_code, 1);
  EXPECT_EQ(score.out, "");
  EXPECT_NE(score.err.find("error: beyond what the model knows: the targets' x from 30"), std::string::npos)
      << score.err;
}

TEST_F(UnitsTest, AStreamIsWarnedOnceAndStrictByRow) {
  const std::string rows = "x,y\n0.1,0.2\n700,0.2\n800,0.3\n900,\n";
  const ProcessResult warned = cmanp({"stream", "--model", gp_}, rows);
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_EQ(std::count(warned.err.begin(), warned.err.end(), '\n'), 1) << warned.err;
  const ProcessResult strict = cmanp({"stream", "--model", gp_, "--strict"}, rows);
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_NE(strict.err.find("standard input:3: beyond what the model knows: x is 700"), std::string::npos)
      << strict.err;
  const ProcessResult skipped = cmanp({"stream", "--model", gp_, "--strict", "--skip-bad"}, rows);
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_NE(skipped.err.find("3 bad rows skipped"), std::string::npos) << skipped.err;
}

TEST_F(UnitsTest, AnUntrainedModelSaysSo) {
  output_of({"init", "--preset", "nano", "-o", (*this)("random")});
  folder_.write("t.csv", "x\n0\n");
  const std::vector<std::string> ask{"predict", "--model", (*this)("random"), "--targets", (*this)("t.csv")};
  EXPECT_NE(cmanp(ask).err.find("is untrained"), std::string::npos);
  std::vector<std::string> strict = ask;
  strict.push_back("--strict");
  EXPECT_EQ(cmanp(strict).exit_code, 1);
  const nlohmann::json knows = json_of({"inspect", (*this)("random"), "--json"})["knows"];
  EXPECT_EQ(knows, (nlohmann::json{{"trained", false}}));
}

TEST_F(UnitsTest, ShippedModelsSayWhatTheyKnow) {
  const nlohmann::json knows = json_of({"inspect", gp_, "--json"})["knows"];
  EXPECT_EQ(knows["x"], (nlohmann::json{{-2, 2}}));
  EXPECT_EQ(knows["noise"], 0.02);
  EXPECT_EQ(knows["prior"], "Gaussian process, rbf");
}

}  // namespace
}  // namespace cmanp::testing

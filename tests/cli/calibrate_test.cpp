// cmanp score and calibrate: measures beside the likelihood, and models whose deviations are rescaled.
#include <cmath>

#include "base/random.hpp"
#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class CalibrateTest : public CliTest {
 protected:
  // sin(3x) with noise of 0.3: far more than the model knows, so that its deviations are too small.
  CalibrateTest() {
    base::Random random(1);
    std::string rows = "x,y\n";
    for (int i = 0; i < 300; ++i) {
      const double x = random.uniform(-2, 2);
      rows += std::to_string(x) + "," + std::to_string(std::sin(3 * x) + 0.3 * random.normal()) + "\n";
    }
    folder_.write("noisy.csv", rows);
  }

  const std::string gp_ = std::string(CMANP_SOURCE_DIR) + "/models/gp-absolute-nano.cmanp";
};

TEST_F(CalibrateTest, ScorePrintsAllMeasuresWithTheirErrors) {
  const nlohmann::json score = json_of(
      {"score", "--model", gp_, "--context", (*this)("noisy.csv"), "--targets", (*this)("noisy.csv"), "--json"});
  for (const char* name : {"rmse", "mae", "crps"}) {
    EXPECT_GT(score[name]["value"], 0.1) << name;
    EXPECT_GT(score[name]["standard_error"], 0) << name;
  }
  EXPECT_GT(score["standard_error"], 0);
  ASSERT_EQ(score["bands"].size(), 3U);
  EXPECT_EQ(score["bands"][2]["level"], 0.95);
  EXPECT_LT(score["bands"][2]["coverage"]["value"], 0.8);  // of a model that knows noise of 0.02
  EXPECT_EQ(score["pit"].size(), 10U);
}

TEST_F(CalibrateTest, ACalibratedModelCoversWhatItPromises) {
  const std::vector<std::string> ask{"calibrate", "--model", gp_, "--data", (*this)("noisy.csv"), "--json"};
  std::vector<std::string> write = ask;
  write.insert(write.end(), {"-o", (*this)("m2.cmanp")});
  const nlohmann::json before = json_of(write);
  EXPECT_LT(before["bands"][2]["coverage"]["value"], 0.7);
  EXPECT_GT(before["calibrated"]["deviation_scale"], 1.5);
  std::vector<std::string> again = ask;
  again[2] = (*this)("m2.cmanp");
  const nlohmann::json after = json_of(again);
  for (std::size_t i = 0; i < 3; ++i) {
    const nlohmann::json& band = after["bands"][i];
    EXPECT_NEAR(band["coverage"]["value"].get<double>(), band["level"].get<double>(), 0.06);
  }
  EXPECT_GT(after["log_likelihood"], before["log_likelihood"].get<double>() + 0.3);
  // Another model: its states are its own; what it is made of stays as it was.
  const nlohmann::json model = json_of({"inspect", (*this)("m2.cmanp"), "--json"});
  EXPECT_NE(model["hash"], json_of({"inspect", gp_, "--json"})["hash"]);
  EXPECT_EQ(model["configuration"]["deviation_scale"], before["calibrated"]["deviation_scale"]);
  // Once is enough.
  again.insert(again.end(), {"-o", (*this)("m3.cmanp")});
  output_of(again);
  EXPECT_EQ(json_of({"inspect", (*this)("m3.cmanp"), "--json"})["configuration"]["deviation_scale"],
            before["calibrated"]["deviation_scale"]);
}

TEST_F(CalibrateTest, HonestDeviationsStayTheSameModel) {
  base::Random random(2);
  std::string rows = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    const double x = random.uniform(-2, 2);
    rows += std::to_string(x) + "," + std::to_string(std::sin(3 * x)) + "\n";
  }
  folder_.write("few.csv", rows.substr(0, rows.find('\n', 60) + 1));
  output_of({"calibrate", "--model", gp_, "--data", (*this)("few.csv"), "--folds", "2", "-o", (*this)("same.cmanp")});
  EXPECT_EQ(json_of({"inspect", (*this)("same.cmanp"), "--json"})["hash"], json_of({"inspect", gp_, "--json"})["hash"]);
}

TEST_F(CalibrateTest, DrawsReliability) {
  output_of({"calibrate", "--model", gp_, "--data", (*this)("noisy.csv"), "--plot", (*this)("p.svg"), "--title", "Hm"});
  const std::string picture = read_file(folder_ / "p.svg");
  EXPECT_NE(picture.find("predicted probability of a smaller y"), std::string::npos);
  EXPECT_NE(picture.find("share of y (PIT)"), std::string::npos);
  EXPECT_NE(picture.find("Hm"), std::string::npos);
}

TEST_F(CalibrateTest, TooFewPointsOutputsAndBadScalesAreRefused) {
  folder_.write("two.csv", "x,y\n1,1\n2,2\n");
  expect_refused({"calibrate", "--model", gp_, "--data", (*this)("two.csv")}, {"2 points are too few"});
  folder_.write("none.csv", "x,y\n");
  expect_refused({"calibrate", "--model", gp_, "--data", (*this)("none.csv")}, {"0 points are too few"});
  expect_refused({"calibrate", "--model", gp_, "--data", (*this)("noisy.csv"), "-o", (*this)("noisy.csv")},
                 {"is read as well"});
  for (const char* scales : {"0", "[1,1]", "[1,1,-1]", "\"x\"", "1e999"}) {
    const std::string key = scales[0] == '[' ? "band_scales" : "deviation_scale";
    folder_.write("bad.cmanp", with_header(read_file(gp_), [&](nlohmann::json& header) {
                    std::string config = header["__metadata__"]["config"];
                    config.insert(1, "\"" + key + "\":" + scales + ",");
                    header["__metadata__"]["config"] = config;
                  }));
    const ProcessResult result = cmanp({"inspect", (*this)("bad.cmanp")});
    EXPECT_EQ(result.exit_code, 1) << scales;
    EXPECT_NE(result.err.find("bad.cmanp"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace cmanp::testing

// `cmanp` with models that the lean half does not run: trained, exported, and then used as any other.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "images/make_pictures.hpp"
#include "images/picture_file.hpp"
#include "train_program.hpp"
#include "training/export.hpp"

namespace cmanp::testing {
namespace {

using Json = nlohmann::json;

class HandOver : public TrainProgram {
 protected:
  HandOver() {
    folder_.write("context.csv", "x,y\n-1,0.5\n0,0.25\n0.5,-1\n1.5,0.125\n");
    folder_.write("targets.csv", "x,y\n-0.5,0.5\n0.25,0.125\n1,-0.5\n");
  }

  // A model file after two steps of training.
  std::string trained(const std::string& model) const {
    folder_.write("settings.json", R"({"batch": 2, "max_points": 10, "steps": 2, "eval_every": 0, "threads": 1})");
    output_of(
        {"train", "--settings", path("settings.json"), "--model", model, "--out", path("run-" + model), "--json"});
    output_of({"export", path("run-" + model), "-o", path(model)});
    return path(model);
  }

  // A model file that nobody trained, for points or for pictures of 12x12 grey pixels.
  std::string untrained(const std::string& name, std::int64_t dim_x = 1) const {
    training::ModelConfig config;
    config.dim_x = dim_x;
    training::save_model(path(name), *training::make_model(name, config, 5), R"({"settings": {"resolution": 12}})",
                         Normalisation::identity(training::shape_of(config)));
    return path(name);
  }

  // The numbers of a CSV's rows.
  static std::vector<double> numbers_of(const std::string& csv) {
    std::vector<double> numbers;
    std::size_t at = csv.find('\n') + 1;
    while (at < csv.size()) {
      const std::size_t end = csv.find_first_of(",\n", at);
      numbers.push_back(std::stod(csv.substr(at, end - at)));
      at = end + 1;
    }
    return numbers;
  }

  static void expect_near(const std::string& csv, const std::string& other) {
    const std::vector<double> a = numbers_of(csv), b = numbers_of(other);
    ASSERT_EQ(a.size(), b.size()) << csv << other;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4 * (1 + std::abs(a[i]))) << csv << other;
  }

  // What `complete` says of a quarter of a picture, beside sheet.png and mean.png.
  Json completed(const std::string& program, const std::string& model, const std::vector<std::string>& more) const {
    folder_.write("grey.png", make_png(sample_image(12, 12, 1)));
    std::vector<std::string> arguments{
        program,  "complete", "--model",         model,    path("grey.png"), "--keep",    "0.25", "--seed",    "1",
        "--json", "-o",       path("sheet.png"), "--mean", path("mean.png"), "--samples", "2",    "--threads", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run_process(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }

  static ProcessResult streamed(const std::string& program, const std::vector<std::string>& flags,
                                const std::string& input) {
    std::vector<std::string> arguments{program, "stream"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_process(arguments, {.input = input});
  }

  std::vector<std::string> asking(const std::string& verb, const std::string& model,
                                  const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{verb,        "--model",          model, "--context", path("context.csv"),
                                       "--targets", path("targets.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// The models that have no fixtures; those that have are in tests/cli.
TEST_F(HandOver, TrainedModelsPredictAndScore) {
  for (const std::string name : {"np", "anp", "bnp", "banp"}) {
    const std::string model = trained(name);
    const std::string csv = output_of(asking("predict", model));
    EXPECT_TRUE(csv.starts_with("x,mean,std\n-0.5,")) << csv;
    EXPECT_EQ(csv, output_of(asking("predict", model, {"--threads", "1"}))) << name;
    const Json answers = Json::parse(output_of(asking("predict", model, {"--json", "--sample", "2", "--seed", "7"})));
    ASSERT_EQ(answers["mean"].size(), 3U);
    ASSERT_EQ(answers["samples"].size(), 2U);
    ASSERT_EQ(answers["samples"][0].size(), 3U);
    EXPECT_NE(csv.find(answers["mean"][2][0].dump()), std::string::npos) << csv;
    const Json score = Json::parse(output_of(asking("score", model, {"--json"})));
    EXPECT_EQ(score["points"], 3);
    // Far from trained, but no nonsense: y lies within a few deviations.
    EXPECT_GT(score["log_likelihood"].get<double>(), -5) << name;
    EXPECT_LT(score["log_likelihood"].get<double>(), 2) << name;
  }
}

TEST_F(HandOver, Plots) {
  for (const std::string name : {"tnpd", "cnp"}) {
    const std::string model = untrained(name);
    const auto picture = [&](const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"plot", "--model",     model,     "--context",        path("context.csv"),
                                         "-o",   path("p.svg"), "--truth", path("targets.csv")};
      arguments.insert(arguments.end(), more.begin(), more.end());
      output_of(arguments);
      return read_file(folder_ / "p.svg");
    };
    const std::string drawn = picture({"--sample", "2"});
    for (const char* label : {"mean", "95 %", "observed", "truth", "samples"}) {
      EXPECT_NE(drawn.find(label), std::string::npos) << name << label;
    }
    EXPECT_EQ(drawn, picture({"--sample", "2", "--threads", "1"})) << name;
    EXPECT_NE(drawn, picture({"--sample", "2", "--seed", "1"})) << name;
    EXPECT_NE(drawn, picture({"--sample", "2", "--y-frame", "-20:20"})) << name;
  }
  expect_refused({"plot", "--model", path("cnp"), "-o", path("p.svg")}, {"cnp needs at least one context"});
  expect_refused({"plot", "--model", path("cnp"), "--state", path("s"), "-o", path("p.svg")}, {"--state", "--context"});
  expect_refused({"plot", "--model", path("cnp"), "--range", "0:1", "-o", path("p.svg")}, {"--range"});
  expect_refused({"plot", "--model", untrained("tnpd", 2), "-o", path("p.svg")}, {"functions of one variable"});
}

TEST_F(HandOver, CompletesPictures) {
  for (const std::string name : {"tnpd", "cnp"}) {
    const std::string model = untrained(name, 2);
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--grain"}}) {
      const Json told = completed(CMANP_PROGRAM, model, more);
      EXPECT_EQ(told["given"], 36);
      EXPECT_EQ(told["compared"], 108);
      EXPECT_TRUE(told["log_likelihood"].is_number());
      const images::Image mean = images::read_picture(folder_ / "mean.png"), truth = sample_image(12, 12, 1);
      std::size_t same = 0;
      for (std::size_t i = 0; i < 144; ++i) same += mean.pixels[i] == truth.pixels[i] ? 1 : 0;
      EXPECT_GE(same, 36U);  // what is given stays
      EXPECT_LT(same, 72U);
      const std::string sheet = read_file(folder_ / "sheet.png");
      completed(CMANP_PROGRAM, model, more);
      EXPECT_TRUE(sheet == read_file(folder_ / "sheet.png")) << name;
    }
  }
  expect_refused({"complete", "--model", untrained("tnpd"), path("grey.png"), "--keep", "0.5", "-o", path("t.png")},
                 {"is no model for pictures"});
}

TEST_F(HandOver, Streams) {
  const std::string model = untrained("tnpd"), points = read_file(folder_ / "context.csv");
  const std::string asked = points + "-0.5,\n0.25,\n1,\n";
  expect_near(streamed(CMANP_PROGRAM, {"--model", model}, asked).out, output_of(asking("predict", model)));
  const Json last = json_lines(streamed(CMANP_PROGRAM, {"--model", model, "--json"}, asked).out).back();
  EXPECT_EQ(last["observed"], 4);
  EXPECT_EQ(last["x"][0], 1);

  // A model that can not answer yet, and rows that are none: blamed by line, or passed over.
  const std::string odd = "x,y\n0.5,\n0.5,1\nzero,1\n1e300,2\n0.25,\n", cnp = untrained("cnp");
  const ProcessResult ended = streamed(CMANP_PROGRAM, {"--model", cnp}, odd);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("standard input:2: cnp needs at least one context"), std::string::npos) << ended.err;
  const ProcessResult passed = streamed(CMANP_PROGRAM, {"--model", cnp, "--skip-bad"}, odd);
  EXPECT_EQ(passed.exit_code, 0) << passed.err;
  EXPECT_NE(passed.err.find("3 bad rows skipped"), std::string::npos) << passed.err;
  EXPECT_EQ(numbers_of(passed.out).size(), 3U) << passed.out;

  const ProcessResult kept = streamed(CMANP_PROGRAM, {"--model", model, "--state", path("s")}, asked);
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_NE(kept.err.find("--state: " + model + " is no model that keeps a state"), std::string::npos) << kept.err;
  EXPECT_EQ(kept.out, "");
  expect_refused({"stream", "--model", model, "--window", "8"}, {"--window", "rests on all"});

  // Answered while more may come, and ended by a signal.
  Process process({CMANP_PROGRAM, "stream", "--model", model});
  process.write(points + "0.25,\n");
  EXPECT_EQ(process.read_line(std::chrono::minutes(2)), "x,mean,std");
  EXPECT_TRUE(process.read_line().starts_with("0.25,"));
  process.kill(SIGTERM);
  EXPECT_EQ(process.wait_with_open_input().exit_code, 128 + SIGTERM);
}

// Where both halves run a model, pictures and streams of either are the same.
TEST_F(HandOver, BothHalvesLearnAlike) {
  const std::string points = read_file(folder_ / "context.csv") + "-0.5,\n0.25,\n1.5,1\n1,\n";
  const std::vector<std::string> of_points{"--model", untrained("cmanp")};
  expect_near(streamed(CMANP_PROGRAM, of_points, points).out, streamed(CMANP_TRAIN_PROGRAM, of_points, points).out);
  const std::string model = untrained("cmanp", 2);
  const Json lean = completed(CMANP_PROGRAM, model, {}), other = completed(CMANP_TRAIN_PROGRAM, model, {});
  for (const char* figure : {"log_likelihood", "mean_squared_error"}) {
    EXPECT_NEAR(lean[figure].get<double>(), other[figure].get<double>(), 1e-4) << figure;
  }
}

// What a device has no use for: methods to compare with, the paper's table, and data sets to train on.
TEST_F(HandOver, ComparisonsAndDataSetsAreTheTrainingHalfs) {
  for (const std::string method : {"uniform", "linucb", "neural-linear"}) {
    output_of({"bandit", "run", "--method", method, "--seeds", "1", "--rounds", "100", "--results", path("games")});
  }
  const std::string table = output_of({"bandit", "report", path("games")});
  EXPECT_NE(table.find("| linucb | 1 |"), std::string::npos) << table;
  EXPECT_EQ(table.find("paper: CMANP"), std::string::npos) << table;
  const std::string whole = output_of({"bandit", "report", path("games"), "--paper"});
  EXPECT_TRUE(whole.starts_with(table.substr(0, table.find_last_of('|')))) << whole;
  EXPECT_NE(whole.find("| paper: CMANP | 50 | 0.93 |"), std::string::npos) << whole;
  EXPECT_NE(output_of({"data", "get", "--help"}).find("--into"), std::string::npos);
}

TEST_F(HandOver, InspectTellsWhatTheFileHolds) {
  const Json model = Json::parse(output_of({"inspect", trained("anp"), "--json"}));
  const Json family = json_lines(output_of({"models", "--json"}));
  EXPECT_EQ(model["model"], "anp");
  EXPECT_EQ(model["parameters"], family[3]["parameters"]["gp"]);
  EXPECT_EQ(model["configuration"]["dim_hid"], 128);
  EXPECT_EQ(model["provenance"]["step"], 2);
  EXPECT_EQ(model["hash"].get<std::string>().size(), 32U);
}

TEST_F(HandOver, BadInputIsRefusedAsInTheLeanHalf) {
  const std::string model = path("cnp");
  training::ModelConfig config;
  training::save_model(model, *training::make_model("cnp", config), "{}",
                       Normalisation::identity(training::shape_of(config)));
  expect_refused({"predict", "--model", model, "--targets", path("targets.csv")}, {"cnp needs at least one context"});
  expect_refused(asking("predict", model, {"--state", path("s")}), {"--state", "--context"});
  folder_.write("bad.csv", "x,y\n0,1\n1e300,2\n");
  expect_refused({"score", "--model", model, "--context", path("bad.csv"), "--targets", path("targets.csv")},
                 {"bad.csv:3", "too large for this model"});
  expect_refused({"score", "--model", model, "--context", path("context.csv"), "--targets", path("bad.csv")},
                 {"bad.csv", "too large for this model"});
  folder_.write("none.csv", "x,y\n");
  expect_refused({"score", "--model", model, "--context", path("context.csv"), "--targets", path("none.csv")},
                 {"none.csv: no targets to score"});
  EXPECT_EQ(run(asking("predict", model, {"--samples", "3"})).exit_code, 2);

  // A file that lies: a name that nobody has, weights that are not there.
  std::string bytes = read_file(model);
  for (std::size_t at = 0; (at = bytes.find(R"("checksum)", at)) != std::string::npos;) {
    bytes.replace(at, 9, R"("withouts)");  // it would tell of the lie
  }
  bytes.replace(bytes.find(R"("model":"cnp")"), 13, R"("model":"cmp")");
  folder_.write("cmp", bytes);
  expect_refused(asking("predict", path("cmp")), {"cmp: unknown model 'cmp'", "did you mean"});
  bytes.replace(bytes.find(R"("model":"cmp")"), 13, R"("model":"bnp")");
  folder_.write("bnp", bytes);
  expect_refused(asking("score", path("bnp")), {"bnp", "tensor"});
  expect_refused({"import", model, "-o", path("m")}, {"not a state dict"});
}

}  // namespace
}  // namespace cmanp::testing

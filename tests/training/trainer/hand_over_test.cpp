// `cmanp` with models that the lean half does not run: trained, exported, and then used as any other.
#include <gtest/gtest.h>

#include <cmath>

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

// Each verb on a small model, from files in to output out.
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "cli/cli_test.hpp"
#include "kernels/instructions.hpp"

namespace cmanp::testing {

namespace {

class VerbsTest : public CliTest {
 protected:
  VerbsTest() {
    folder_.write("context.csv", points(0, 40));
    folder_.write("targets.csv", "x\n-1.5\n0\n0.25\n1e-3\n");
    folder_.write("scored.csv", points(40, 12));
  }
};

TEST_F(VerbsTest, PredictGivesMeanAndStd) {
  const std::string text = output_of(
      {"predict", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("targets.csv")});
  EXPECT_TRUE(text.starts_with("x,mean,std\n-1.5,")) << text;
  const auto rows = csv_rows(text);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3][0], 1e-3);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 3U);
    EXPECT_TRUE(std::isfinite(row[1]));
    EXPECT_GT(row[2], 0);
  }
}

TEST_F(VerbsTest, JsonHoldsTheSameNumbersAsCsv) {
  const std::vector<std::string> arguments{
      "predict", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("targets.csv")};
  std::vector<std::string> with_json = arguments;
  with_json.push_back("--json");
  const auto rows = csv_rows(output_of(arguments));
  const nlohmann::json document = json_of(with_json);
  ASSERT_EQ(document["mean"].size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(document["mean"][i][0].get<double>(), rows[i][1]);
    EXPECT_EQ(document["std"][i][0].get<double>(), rows[i][2]);
  }
  EXPECT_FALSE(document.contains("samples"));
}

TEST_F(VerbsTest, ContextChangesTheAnswerAndManyFilesAreOneContext) {
  folder_.write("first.csv", points(0, 15));
  folder_.write("second.csv", points(15, 25));
  const auto predict = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"predict", "--model", model_, "--targets", (*this)("targets.csv")};
    if (!files.empty()) arguments.push_back("--context");
    for (const std::string& file : files) arguments.push_back((*this)(file));
    return csv_rows(output_of(arguments));
  };
  const auto whole = predict({"context.csv"});
  const auto halves = predict({"first.csv", "second.csv"});
  const auto half = predict({"first.csv"});
  EXPECT_NEAR(whole[0][1], halves[0][1], 1e-6);
  EXPECT_GT(std::abs(whole[0][1] - half[0][1]), 1e-6);
}

TEST_F(VerbsTest, EmptyContextAnswersAndSaysSo) {
  const ProcessResult result = cmanp({"predict", "--model", model_, "--targets", (*this)("targets.csv")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(csv_rows(result.out).size(), 4U);
  EXPECT_NE(result.err.find("no observations"), std::string::npos) << result.err;
}

TEST_F(VerbsTest, SamplesAreNamedAndSeeded) {
  const auto sample = [&](const std::string& seed, const std::string& threads) {
    return output_of({"predict", "--model", model_, "--context", (*this)("context.csv"), "--targets",
                      (*this)("targets.csv"), "--sample", "3", "--block", "2", "--seed", seed, "--threads", threads});
  };
  const std::string one = sample("1", "1");
  EXPECT_TRUE(one.starts_with("x,sample1,sample2,sample3\n")) << one;
  EXPECT_EQ(csv_rows(one).size(), 4U);
  EXPECT_EQ(one, sample("1", "2"));
  EXPECT_NE(one, sample("2", "1"));
}

TEST_F(VerbsTest, ManyChannelsAreNumbered) {
  output_of(
      {"init", "--preset", "nano", "--model", "cmanpand", "--dim-x", "2", "--dim-y", "2", "-o", (*this)("wide.cmanp")});
  folder_.write("wide.csv", "x1,x2,y1,y2\n0.1,0.2,0.3,0.4\n0.5,0.6,0.7,0.8\n");
  const std::vector<std::string> arguments{"predict",           "--model",   (*this)("wide.cmanp"), "--context",
                                           (*this)("wide.csv"), "--targets", (*this)("wide.csv")};
  EXPECT_TRUE(output_of(arguments).starts_with("x1,x2,mean1,mean2,std1,std2\n"));
  std::vector<std::string> sampled = arguments;
  sampled.insert(sampled.end(), {"--sample", "2"});
  EXPECT_TRUE(output_of(sampled).starts_with("x1,x2,sample1_y1,sample1_y2,sample2_y1,sample2_y2\n"));
  sampled.push_back("--json");
  const nlohmann::json samples = json_of(sampled)["samples"];
  ASSERT_EQ(samples.size(), 2U);        // draws
  ASSERT_EQ(samples[0].size(), 2U);     // targets
  ASSERT_EQ(samples[0][0].size(), 2U);  // channels
}

TEST_F(VerbsTest, ScoreIsTheMeanLogDensityOfThePredictions) {
  const auto predictions = csv_rows(output_of(
      {"predict", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("scored.csv")}));
  const auto truth = csv_rows(points(40, 12));
  double expected = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double z = (truth[i][1] - predictions[i][1]) / predictions[i][2];
    expected -= (0.5 * z * z + std::log(predictions[i][2]) + 0.5 * std::log(2 * M_PI)) / 12;
  }
  const nlohmann::json result = json_of(
      {"score", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("scored.csv"), "--json"});
  EXPECT_EQ(result["points"], 12);
  EXPECT_NEAR(result["log_likelihood"].get<double>(), expected, 1e-5);
  const std::string csv =
      output_of({"score", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("scored.csv")});
  EXPECT_TRUE(csv.starts_with("log_likelihood,points,standard_error,rmse,")) << csv;
  EXPECT_EQ(csv_rows(csv)[0][0], result["log_likelihood"].get<double>());
}

TEST_F(VerbsTest, ConditionThenPredictEqualsContext) {
  const nlohmann::json summary =
      json_of({"condition", "--model", model_, "--state", (*this)("s"), (*this)("context.csv"), "--json"});
  EXPECT_EQ(summary["points"], 40);
  const auto predict = [&](const std::string& flag, const std::string& file) {
    return output_of({"predict", "--model", model_, flag, (*this)(file), "--targets", (*this)("targets.csv")});
  };
  EXPECT_EQ(predict("--state", "s"), predict("--context", "context.csv"));
}

TEST_F(VerbsTest, ConditionGivesTheSameStateWithAnyNumberOfThreads) {
  folder_.write("many.csv", points(0, 20000));
  for (const std::string threads : {"1", "2", "3"}) {
    output_of(
        {"condition", "--model", model_, "--state", (*this)("s" + threads), (*this)("many.csv"), "--threads", threads});
  }
  EXPECT_TRUE(read_file(folder_ / "s1") == read_file(folder_ / "s2"));
  EXPECT_TRUE(read_file(folder_ / "s1") == read_file(folder_ / "s3"));
}

TEST_F(VerbsTest, ConditionFromAStateAndMergeAreTheWhole) {
  folder_.write("first.csv", points(0, 300));
  folder_.write("second.csv", points(300, 500));
  const auto condition = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"condition", "--model", model_, "--state"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    output_of(arguments);
  };
  condition({(*this)("whole"), (*this)("first.csv"), (*this)("second.csv")});
  condition({(*this)("first"), (*this)("first.csv")});
  condition({(*this)("second"), (*this)("second.csv")});
  condition({(*this)("continued"), (*this)("second.csv"), "--from", (*this)("first")});
  const nlohmann::json merged =
      json_of({"merge", (*this)("first"), (*this)("second"), "-o", (*this)("merged"), "--json"});
  EXPECT_EQ(merged["points"], 800);
  const auto predict = [&](const std::string& state) {
    return csv_rows(
        output_of({"predict", "--model", model_, "--state", (*this)(state), "--targets", (*this)("targets.csv")}));
  };
  const auto whole = predict("whole");
  for (const std::string state : {"continued", "merged"}) {
    const auto other = predict(state);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_NEAR(other[i][1], whole[i][1], 1e-5) << state;
      EXPECT_NEAR(other[i][2], whole[i][2], 1e-5) << state;
    }
  }
}

TEST_F(VerbsTest, MergedStatesAreAsSmallAsAny) {
  folder_.write("some.csv", points(0, 255));
  output_of({"condition", "--model", model_, "--state", (*this)("one"), (*this)("some.csv")});
  std::vector<std::string> many{"merge", "-o", (*this)("many")};
  for (int i = 0; i < 100; ++i) many.push_back((*this)("one"));
  expect_refused(many, {"are pending", "--model"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "many"));
  many.insert(many.end(), {"--model", model_, "--json"});
  EXPECT_EQ(json_of(many)["points"], 25'500);
  EXPECT_LE(std::filesystem::file_size(folder_ / "many"), std::filesystem::file_size(folder_ / "one") + 100);
}

TEST_F(VerbsTest, InspectDescribesModelAndState) {
  const nlohmann::json model = json_of({"inspect", model_, "--json"});
  EXPECT_EQ(model["model"], "cmanp");
  EXPECT_EQ(model["hash"].get<std::string>().size(), 32U);
  EXPECT_EQ(model["configuration"]["num_latents"], 4);
  const nlohmann::json memory = model["memory"];
  EXPECT_EQ(memory["total"], memory["weights"].get<std::size_t>() + memory["state"].get<std::size_t>() +
                                 memory["cache"].get<std::size_t>() + memory["scratch"].get<std::size_t>());
  const nlohmann::json threads = json_of({"inspect", model_, "--json", "--threads", "8"});
  EXPECT_GT(threads["memory"]["scratch"], memory["scratch"]);
  EXPECT_NE(output_of({"inspect", model_}).find(std::to_string(memory["total"].get<std::size_t>()) + " bytes ("),
            std::string::npos);

  output_of({"condition", "--model", model_, "--state", (*this)("s"), (*this)("context.csv")});
  const nlohmann::json state = json_of({"inspect", (*this)("s"), "--json"});
  EXPECT_EQ(state["points"], 40);
  EXPECT_EQ(state["model_hash"], model["hash"]);
}

TEST_F(VerbsTest, InitHasPresetsAndSaysThatItIsUntrained) {
  const ProcessResult nano = cmanp({"init", "--preset", "nano", "-o", (*this)("nano"), "--json"});
  EXPECT_EQ(nano.exit_code, 0) << nano.err;
  EXPECT_NE(nano.err.find("UNTRAINED"), std::string::npos) << nano.err;
  EXPECT_LT(nlohmann::json::parse(nano.out)["parameters"], 100'000);
  const nlohmann::json size = json_of({"inspect", (*this)("nano"), "--json"})["configuration"];
  EXPECT_EQ(size["num_latents"], 32);  // as `cmanp train --preset nano` has it
  EXPECT_EQ(size["num_latents_per_layer"], 32);
  EXPECT_EQ(json_of({"init", "-o", (*this)("paper"), "--json"})["parameters"], 1'341'634);
  const nlohmann::json shaped =
      json_of({"init", "--d-model", "24", "--heads", "3", "--latent-dim", "16", "--fourier", "2", "--residual", "plain",
               "--model", "cmanpand", "--covariance", "lowrank", "--bound-std", "-o", (*this)("shaped"), "--json"});
  EXPECT_EQ(shaped["model"], "cmanpand");
  const nlohmann::json configuration = json_of({"inspect", (*this)("shaped"), "--json"})["configuration"];
  EXPECT_EQ(configuration["latent_dim"], 16);
  EXPECT_EQ(configuration["layer_latent_dim"], 24);
}

TEST_F(VerbsTest, InitIsSeeded) {
  const auto hash = [&](const std::string& seed) {
    return json_of({"init", "--preset", "nano", "--seed", seed, "-o", (*this)("m"), "--json"})["hash"];
  };
  EXPECT_EQ(hash("5"), hash("5"));
  EXPECT_NE(hash("5"), hash("6"));
}

TEST_F(VerbsTest, BenchReportsEachCase) {
  for (const std::string name : {"condition", "update", "query"}) {
    const nlohmann::json result =
        json_of({"bench", name, "--model", model_, "--points", "500", "--seconds", "0.01", "--json"});
    EXPECT_EQ(result["case"], name);
    EXPECT_EQ(result["threads"], 1);
    for (const std::string figure : {"per_second", "gflops", "peak_gflops", "peak_rss_mb", "fraction_of_peak"}) {
      EXPECT_GT(result[figure].get<double>(), 0) << figure;
    }
    // The median over turns, each beside its own peak; a busy machine may spoil any of them.
    const double of_medians = result["gflops"].get<double>() / result["peak_gflops"].get<double>();
    EXPECT_GT(result["fraction_of_peak"].get<double>(), of_medians / 20);
    EXPECT_LT(result["fraction_of_peak"].get<double>(), of_medians * 20);
  }
}

// On every instruction set that kernels are compiled for: what is timed and the peak beside it.
TEST_F(VerbsTest, BenchRunsOnLesserInstructions) {
  for (const std::string& name : kernels::instruction_sets()) {
    const nlohmann::json result = json_of({"bench", "condition", "--model", model_, "--points", "500", "--seconds",
                                           "0.01", "--instructions", name, "--json"});
    EXPECT_GT(result["fraction_of_peak"].get<double>(), 0) << name;
  }
  const ProcessResult unknown = cmanp({"bench", "--instructions", "abacus"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find(kernels::instruction_sets().front()), std::string::npos) << unknown.err;
}

// Such a model looks for its units in the first points; the points of bench go from one end of its range to the other.
TEST_F(VerbsTest, BenchTakesAModelThatWorksInFrames) {
  const nlohmann::json result = json_of({"bench", "condition", "--model", CMANP_SOURCE_DIR "/models/universal.cmanp",
                                         "--points", "500", "--seconds", "0.01", "--json"});
  EXPECT_GT(result["per_second"].get<double>(), 0);
}

// The network computes with floats; an x is the user's own, whatever its digits.
TEST_F(VerbsTest, AnswersHaveTheDigitsOfAFloat) {
  folder_.write("points.csv", points(0, 5));
  folder_.write("asked.csv", "x\n0.1234567890123\n-1\n");
  const std::vector<std::string> asking{"predict",   "--model",           model_, "--context", (*this)("points.csv"),
                                        "--targets", (*this)("asked.csv")};
  std::istringstream lines(output_of(asking));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  std::istringstream fields(line);
  std::string x, answer;
  std::getline(fields, x, ',');
  EXPECT_EQ(x, "0.1234567890123");
  while (std::getline(fields, answer, ',')) EXPECT_EQ(answer, fmt::format("{}", std::stof(answer)));
  std::vector<std::string> in_json = asking;
  in_json.push_back("--json");
  const std::string document = output_of(in_json);
  for (const auto& row : csv_rows(output_of(asking))) {
    EXPECT_NE(document.find(fmt::format("[{}]", row[1])), std::string::npos) << document;
  }
}

}  // namespace
}  // namespace cmanp::testing

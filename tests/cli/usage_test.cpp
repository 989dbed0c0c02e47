// Bad usage: exit code 2, a message that helps, nothing on standard output. And help that is there for every verb.
#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

class UsageTest : public CliTest {
 protected:
  void expect_bad_usage(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) const {
    const ProcessResult result = cmanp(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("--help"), std::string::npos) << result.err;
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
};

TEST_F(UsageTest, EveryVerbHasHelpWithAnExample) {
  for (const std::string verb :
       {"predict", "score", "complete", "stream", "condition", "merge", "inspect", "import", "init", "bench"}) {
    const ProcessResult result = cmanp({verb, "--help"});
    EXPECT_EQ(result.exit_code, 0) << verb;
    EXPECT_NE(result.out.find("Example:"), std::string::npos) << verb;
    EXPECT_NE(result.out.find("cmanp " + verb + " ", result.out.find("Example:")), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("--json"), std::string::npos) << verb;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(UsageTest, HelpAndVersion) {
  EXPECT_NE(output_of({"--help"}).find("condition"), std::string::npos);
  EXPECT_TRUE(output_of({"--version"}).starts_with("cmanp "));
}

TEST_F(UsageTest, UnknownWordsSuggestTheNearest) {
  expect_bad_usage({"predcit"}, {"unknown verb predcit", "did you mean predict?"});
  expect_bad_usage({"qqqqqqqqqqqq"}, {"unknown verb qqqqqqqqqqqq"});
  expect_bad_usage({"predict", "--modle", model_, "--targets", "t.csv"},
                   {"unknown option --modle", "did you mean --model?"});
  expect_bad_usage({"stream", "--model", model_, "--jsno"}, {"unknown option --jsno", "did you mean --json?"});
  expect_bad_usage({"tarin"}, {"unknown verb tarin", "did you mean train?"});
  expect_bad_usage({"events", "trian"}, {"unknown verb trian", "did you mean train?"});
  expect_bad_usage({"help", "predcit"}, {"unknown verb predcit", "did you mean predict?"});
  expect_bad_usage({"inspect", model_, "--thread=2"}, {"unknown option --thread", "did you mean --threads?"});
}

TEST_F(UsageTest, MissingAndBadValues) {
  expect_bad_usage({}, {"a verb is missing"});
  expect_bad_usage({"--verison"}, {"unknown option --verison", "did you mean --version?"});
  expect_bad_usage({"predict", "--targets", "t.csv"}, {"--model"});
  expect_bad_usage({"merge", "a", "b"}, {"--output"});
  expect_bad_usage({"inspect", model_, "--threads", "0"}, {"--threads"});
  expect_bad_usage({"inspect", model_, "--threads", "-3"}, {"--threads"});
  expect_bad_usage({"inspect", model_, "--threads", "many"}, {"--threads"});
  expect_bad_usage({"bench", "nothing"}, {"nothing"});
  expect_bad_usage({"init", "--preset", "huge", "-o", "m"}, {"huge"});
  expect_bad_usage({"init", "--covariance", "lowrank", "-o", "m"}, {"--covariance"});
}

TEST_F(UsageTest, TrainingVerbsSayHowToGetThem) {
  // A copy of the program, with nothing beside it.
  std::filesystem::copy_file(CMANP_PROGRAM, folder_ / "cmanp");
  const auto expect_needed = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), (*this)("cmanp"));
    const ProcessResult result = run_process(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    for (const std::string& part :
         {why, std::string("needs the training half, program cmanp-train"), std::string("install_packages training")}) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
    }
  };
  expect_needed({"train"}, "`cmanp train`");
  expect_needed({"eval"}, "`cmanp eval`");
  expect_needed({"bench", "train"}, "`cmanp bench train`");
  // So does a model that it does not run itself.
  folder_.write("other.cmanp", with_header(read_file(model_),
                                           [](nlohmann::json& header) { header["__metadata__"]["model"] = "tnpd"; }));
  folder_.write("points.csv", points(0, 3));
  for (const std::string verb : {"predict", "score"}) {
    expect_needed({verb, "--model", (*this)("other.cmanp"), "--targets", (*this)("points.csv")},
                  "other.cmanp: model 'tnpd'");
  }
  expect_needed({"stream", "--model", (*this)("other.cmanp")}, "other.cmanp: model 'tnpd'");
  expect_needed({"plot", "--model", (*this)("other.cmanp"), "-o", (*this)("p.svg")}, "other.cmanp: model 'tnpd'");
  expect_needed({"complete", "--model", (*this)("other.cmanp"), (*this)("p.png"), "--json"},
                "other.cmanp: model 'tnpd'");
  folder_.write("reference", with_header(read_file(model_), [](nlohmann::json& header) {
                  header["__metadata__"]["model"] = "lbanp";
                  header["__metadata__"]["format"] = "reference-state-dict";
                }));
  expect_needed({"import", (*this)("reference"), "-o", (*this)("m")}, "reference: model 'lbanp'");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m"));
  // What is written in it can be read all the same; what runs in constant memory can not run it at all.
  EXPECT_EQ(json_of({"inspect", (*this)("other.cmanp"), "--json"})["model"], "tnpd");
  expect_refused({"condition", "--model", (*this)("other.cmanp"), "--state", (*this)("s"), (*this)("points.csv")},
                 {"other.cmanp", "the lean half runs cmanp"});
}

TEST_F(UsageTest, ImpossibleConfigurations) {
  expect_refused({"init", "--d-model", "30", "--heads", "4", "-o", (*this)("m")}, {"nhead"});
  expect_refused({"init", "--layers", "0", "-o", (*this)("m")}, {"num_layers"});
  expect_refused({"init", "--d-model", "1000000000000", "-o", (*this)("m")}, {"d_model"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m"));
}

}  // namespace
}  // namespace cmanp::testing

// Models by name: a file first, then what is installed; what is neither is told what there is.
#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class ModelNamesTest : public CliTest {
 protected:
  ModelNamesTest() {
    std::filesystem::create_directory(folder_ / "models");
    std::filesystem::copy_file(model_, folder_ / "models" / "own.cmanp");
  }

  ProcessResult with_own_folder(const std::vector<std::string>& arguments) const {
    return cmanp(arguments, ProcessOptions{.environment = {"CMANP_MODELS=" + (*this)("models")}});
  }
};

TEST_F(ModelNamesTest, AreFoundInAFolderOfOnesOwn) {
  for (const std::string name : {"own", "own.cmanp"}) {
    EXPECT_EQ(with_own_folder({"inspect", name, "--json"}).exit_code, 0) << name;
    const ProcessResult answered =
        cmanp({"stream", "--model", name},
              ProcessOptions{.input = "x,y\n1,\n", .environment = {"CMANP_MODELS=" + (*this)("models")}});
    EXPECT_EQ(answered.exit_code, 0) << answered.err;
    EXPECT_TRUE(answered.out.starts_with("x,mean,std\n1,")) << answered.out;
  }
}

// A folder that happens to be called like a model, and is no run, hides none.
TEST_F(ModelNamesTest, AFolderOfTheSameNameHidesNone) {
  std::filesystem::create_directory(folder_ / "own");
  const ProcessResult result =
      run_process({"/bin/sh", "-c", "cd '" + (*this)("") + "' && exec '" CMANP_PROGRAM "' inspect own --json"},
                  ProcessOptions{.environment = {"CMANP_MODELS=" + (*this)("models")}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// A program that was built, not installed, has the repository's.
TEST_F(ModelNamesTest, ShippedModelsAreFound) {
  const auto model = json_of({"inspect", "gp-nano", "--json"});
  EXPECT_EQ(model["model"], "cmanp");
}

TEST_F(ModelNamesTest, AreFoundBesideAnInstalledProgram) {
  std::filesystem::create_directories(folder_ / "prefix" / "bin");
  std::filesystem::create_directories(folder_ / "prefix" / "share" / "cmanp" / "models");
  std::filesystem::copy_file(CMANP_PROGRAM, folder_ / "prefix" / "bin" / "cmanp");
  std::filesystem::copy_file(model_, folder_ / "prefix" / "share" / "cmanp" / "models" / "mine.cmanp");
  const std::string program = (*this)("prefix/bin/cmanp");
  EXPECT_EQ(run_process({program, "inspect", "mine", "--json"}).exit_code, 0);
  const ProcessResult missing = run_process({program, "inspect", "gp"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("'gp': no such file"), std::string::npos) << missing.err;
  EXPECT_NE(missing.err.find("there are mine"), std::string::npos) << missing.err;
}

TEST_F(ModelNamesTest, UnknownOnesAreToldWhatThereIs) {
  const ProcessResult result = with_own_folder({"inspect", "nosuch"});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* part : {"'nosuch'", "no such file", "own", "gp-nano"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
  expect_refused({"inspect", (*this)("nosuch.cmanp")}, {"nosuch.cmanp"});  // a path is a path
}

}  // namespace
}  // namespace cmanp::testing

// Pictures through `cmanp train`, `eval` and `export`, as users run them, and every model of the family on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "images/make_pictures.hpp"
#include "runs/run.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "training/trainer/task_problem.hpp"

namespace cmanp::training {
namespace {

using testing::ProcessResult;

class ImageProgram : public ::testing::Test {
 protected:
  ImageProgram() { testing::write_idx_set(folder_ / "idx", 30, 8); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // With a cache of the test's own.
  ProcessResult cmanp(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"/usr/bin/env", "XDG_CACHE_HOME=" + path("cache"), CMANP_PROGRAM});
    return testing::run_process(arguments);
  }

  ProcessResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "--preset", "nano",      "--warmup", "0",         "--steps",
                                       "4",     "--batch",  "4",         "--out",    path("run"), "--eval-batches",
                                       "2",     "--json",   "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cmanp(arguments);
  }

  testing::TemporaryFolder folder_;
};

// What a newcomer types, on pictures so small that few pixels are seen however they are moved.
TEST_F(ImageProgram, TrainsOnAFolderByThePresetOfPictures) {
  const ProcessResult trained =
      cmanp({"train", "--preset", "pictures", "--data", path("idx"), "--steps", "2", "--batch", "4", "--warmup", "0",
             "--eval-batches", "1", "--out", path("own"), "--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(nlohmann::json::parse(trained.out)["task"], "image");
  ASSERT_EQ(cmanp({"export", path("own"), "-o", path("own.cmanp")}).exit_code, 0);
  const ProcessResult model = cmanp({"inspect", path("own.cmanp"), "--json"});
  ASSERT_EQ(model.exit_code, 0) << model.err;
  const auto config = nlohmann::json::parse(model.out)["configuration"];
  EXPECT_EQ(config["coordinates"], "relative") << config;
  EXPECT_EQ(config["absolute_features"], true) << config;
}

TEST_F(ImageProgram, TrainsEvaluatesAndExportsWithoutItsData) {
  const ProcessResult trained = train({"--task", "image", "--data", path("idx"), "--classes", "0-9"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto result = nlohmann::json::parse(trained.out);
  EXPECT_EQ(result["step"], 4);
  EXPECT_TRUE(result["log_likelihood"].is_number());
  const ProcessResult evaluated =
      cmanp({"eval", path("run"), "--classes", "0-9", "--classes", "10-46", "--json", "--threads", "1"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const std::size_t end = evaluated.out.find('\n');
  const auto seen = nlohmann::json::parse(evaluated.out.substr(0, end));
  const auto unseen = nlohmann::json::parse(evaluated.out.substr(end));
  EXPECT_EQ(seen["classes"], "0-9");
  EXPECT_EQ(seen["tasks"], 26);
  EXPECT_EQ(unseen["tasks"], 4);
  EXPECT_EQ(seen["resolution"], 8);

  // A cache of another name has the packed pictures as well as the sets.
  const ProcessResult elsewhere = cmanp({"eval", path("run"), "--batches", "1", "--cache", path("own"), "--json"});
  ASSERT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("are kept in " + path("own/images")), std::string::npos) << elsewhere.err;
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "own/images"));

  const ProcessResult wrong = cmanp({"eval", path("run"), "--task", "gp", "--batches", "1"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("dim_x 2"), std::string::npos) << wrong.err;

  std::filesystem::remove_all(folder_ / "idx");
  std::filesystem::remove_all(folder_ / "cache");
  const ProcessResult exported = cmanp({"export", path("run"), "-o", path("m.cmanp")});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  // Where the pictures were is nobody's business; their resolution is the completing half's.
  const auto told = nlohmann::json::parse(cmanp({"inspect", path("m.cmanp"), "--json"}).out)["provenance"]["settings"];
  EXPECT_EQ(told["data"], "idx");
  EXPECT_EQ(told["resolution"], 8);
  const ProcessResult gone = cmanp({"eval", path("run")});
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_NE(gone.err.find("idx: there is no such folder"), std::string::npos) << gone.err;
}

TEST_F(ImageProgram, SaysWhatIsWrongWithData) {
  const auto expect = [&](const std::vector<std::string>& more, const std::string& part) {
    const ProcessResult result = train(more);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  expect({"--task", "emnist", "--data", path("none")}, "no such folder");
  expect({"--task", "image", "--data", path("idx"), "--max-points", "100"}, "max_points is 100");
  folder_.write("idx/train-images-idx3-ubyte", "short");
  expect({"--task", "image", "--data", path("idx")}, "train-images-idx3-ubyte");
}

// A step, an evaluation, and loss and likelihood are numbers.
TEST_F(ImageProgram, EveryModelTrainsOnPictures) {
  for (const int channels : {1, 3}) {
    const std::string file = path(fmt::format("p{}", channels));
    const ProcessResult packed =
        cmanp({"data", "pack", path("idx"), "--channels", std::to_string(channels), "-o", file});
    ASSERT_EQ(packed.exit_code, 0) << packed.err;
    for (const std::string& model : model_names()) {
      nlohmann::ordered_json document = preset("nano", model);
      document.update({{"task", "image"},
                       {"data", file},
                       {"model", model},
                       {"steps", 1},
                       {"warmup", 0},
                       {"batch", 2},
                       {"threads", 1},
                       {"max_points", 20},
                       {"eval_every", 1},
                       {"eval_batches", 1}});
      if (document.contains("dim_hid")) document["eval_num_samples"] = 2;
      if (model == "cnp" || model == "canp") document.erase("eval_num_samples");
      TaskProblem problem(parse_settings(document, ""));
      const runs::Progress progress = runs::Run(problem, folder_ / (model + std::to_string(channels))).go();
      EXPECT_TRUE(std::isfinite(progress.loss)) << model;
      ASSERT_TRUE(progress.log_likelihood.has_value());
      EXPECT_TRUE(std::isfinite(*progress.log_likelihood)) << model;
    }
  }
}

}  // namespace
}  // namespace cmanp::training

// cmanp signals draw, and training and evaluation on signals, as users run them.
#include <gtest/gtest.h>

#include <sstream>

#include "plots/gnuplot.hpp"
#include "train_program.hpp"

namespace cmanp::training {
namespace {

using testing::ProcessResult;
using testing::TrainProgram;

class SignalsProgram : public TrainProgram {
 protected:
  void expect_bad_usage(const std::vector<std::string>& arguments, const std::string& part) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
};

TEST_F(SignalsProgram, DrawsTheSameForTheSameSeed) {
  const std::vector<std::string> draw{"signals", "draw", "--count", "3", "--observed", "7", "--asked", "5"};
  const std::string once = output_of(draw);
  EXPECT_EQ(once, output_of(draw));
  std::istringstream lines(once);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "signal,part,x,y");
  std::size_t observed = 0, asked = 0;
  while (std::getline(lines, line)) {
    observed += line.find(",observed,") == 1 ? 1 : 0;
    asked += line.find(",asked,") == 1 ? 1 : 0;
  }
  EXPECT_EQ(observed, 21U);
  EXPECT_EQ(asked, 15U);
  std::vector<std::string> other = draw;
  other.insert(other.end(), {"--seed", "1"});
  EXPECT_NE(once, output_of(other));
}

TEST_F(SignalsProgram, DrawsAPicture) {
  if (!plots::can_draw()) GTEST_SKIP() << "no gnuplot";
  output_of({"signals", "draw", "--count", "4", "--observed", "9", "--plot", path("signals.png")});
  EXPECT_GT(std::filesystem::file_size(folder_ / "signals.png"), 1000U);
}

TEST_F(SignalsProgram, RefusesWhatIsNoPrior) {
  expect_refused({"signals", "draw", "--kernels", "rbf,wavelet"}, {"wavelet", "locally-periodic"});
  expect_refused({"signals", "draw", "--length-low", "1000"}, {"length_low 1000"});
  expect_refused({"signals", "draw", "--farthest", "1", "--observed", "50"}, {"farthest 1"});
  expect_refused({"signals", "draw", "--jumps", "1.5"}, {"jumps"});
  expect_bad_usage({"signals", "draw", "--parts", "many"}, "--parts");
  expect_bad_usage({"signals", "draw", "--count", "100", "--plot", path("a.png")}, "--plot");
  expect_bad_usage({"signals", "draw", "--observed", "-1"}, "--observed");
  expect_bad_usage({"signals"}, "a verb is missing");
}

// Contexts from none on, in relative coordinates, with all that evaluation says of signals whose best answer is known.
TEST_F(SignalsProgram, TrainsAndEvaluates) {
  const ProcessResult trained = run({"train",        "--preset", "universal-nano", "--out", path("run"),     "--cache",
                                     path("sets"),   "--json",   "--steps",        "6",     "--warmup",      "2",
                                     "--batch",      "2",        "--max-points",   "60",    "--max-targets", "10",
                                     "--eval-every", "6",        "--eval-batches", "3",     "--threads",     "1"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(nlohmann::json::parse(trained.out)["log_likelihood"].is_number()) << trained.out;
  const std::vector<std::string> eval{"eval", path("run"), "--cache",   path("sets"), "--batches",
                                      "12",   "--json",    "--threads", "1"};
  const auto all = nlohmann::json::parse(output_of(eval));
  EXPECT_EQ(all["task"], "signals");
  EXPECT_TRUE(all["limit_marginal"].is_null());
  std::vector<std::string> gaussian = eval;
  gaussian.emplace_back("--only-gaussian");
  const auto known = nlohmann::json::parse(output_of(gaussian));
  EXPECT_GT(known["limit_marginal"].get<double>(), known["log_likelihood"].get<double>());
  EXPECT_EQ(known, nlohmann::json::parse(output_of(gaussian)));  // out of the cache, empty contexts included
}

}  // namespace
}  // namespace cmanp::training

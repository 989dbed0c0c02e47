// `cmanp train` with tiny settings, in folders of its own.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/json_lines.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/tiny_settings.hpp"

namespace cmanp::testing {

using runs::checkpoint_folder;
using runs::latest_checkpoint;
using training::load_checkpoint;

class TrainProgram : public ::testing::Test {
 protected:
  TrainProgram() { folder_.write("tiny.json", tiny_document().dump()); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<std::string> train(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{CMANP_PROGRAM, "train",   "--settings", path("tiny.json"), "--out",
                                       path(out),     "--cache", path("sets"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  ProcessResult run(std::vector<std::string> arguments) const {
    if (arguments.front() != CMANP_PROGRAM) arguments.insert(arguments.begin(), CMANP_PROGRAM);
    return run_process(arguments);
  }

  std::int64_t saved_step(const std::string& out) const {
    const auto latest = runs::latest_checkpoint(runs::checkpoint_folder(folder_ / out));
    return latest ? training::load_checkpoint(*latest).step : -1;
  }

  // Waits until the run has saved this step or a later one.
  void await_step(const std::string& out, std::int64_t step) const {
    for (int i = 0; i < 5000; ++i) {
      const auto latest = runs::latest_checkpoint(runs::checkpoint_folder(folder_ / out));
      if (latest && std::stoll(latest->filename().string().substr(5)) >= step) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    FAIL() << "no checkpoint of step " << step;
  }

  training::Checkpoint result_of(const std::string& out) const {
    return training::load_checkpoint(runs::latest_checkpoint(runs::checkpoint_folder(folder_ / out)).value());
  }

  void expect_same_weights(const std::string& left, const std::string& right) const {
    const training::Checkpoint a = result_of(left), b = result_of(right);
    EXPECT_EQ(a.step, b.step);
    for (const auto& [name, tensor] : a.weights) EXPECT_TRUE(torch::equal(tensor, b.weights.at(name))) << name;
    for (const auto& [name, tensor] : a.averaged) EXPECT_TRUE(torch::equal(tensor, b.averaged.at(name))) << name;
  }

  // Its output; a failure is one of the test.
  std::string output_of(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.err;
    return result.out;
  }

  // Expects exit code 1 and a message that has all `parts`.
  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err << result.signal;
    EXPECT_TRUE(result.err.starts_with("cmanp: ")) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  TemporaryFolder folder_;
};

}  // namespace cmanp::testing

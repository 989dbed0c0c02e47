// A table of stations in a folder of its own, and what users do with it, in processes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class TableProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string table = "station,hour,wind\n";
    for (int station = 1; station <= 4; ++station) {
      for (int hour = 0; hour < 60; ++hour) {
        table += "s" + std::to_string(station) + "," + std::to_string(hour) + "," +
                 std::to_string(station * (5 + std::sin(0.5236 * hour) + 0.1 * std::sin(37.0 * hour))) + "\n";
      }
    }
    folder_->write("stations.csv", table);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static ProcessResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CMANP_PROGRAM);
    return run_process(arguments);
  }

  static std::string output_of(const std::vector<std::string>& arguments) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.err;
    return result.out;
  }

  // What makes a training a matter of seconds.
  static constexpr const char* kTiny = "--nhead 2 --d-model 8 --num-layers 1 --batch 2 --threads 1";

  // A training on a file of the folder; flags as one types them, and those that are made up of pieces.
  static std::vector<std::string> training(const std::string& data, const std::string& out, const std::string& flags,
                                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"train", "--task", "table", "--data", path(data), "--out", path(out)};
    std::istringstream words(flags);
    for (std::string word; words >> word;) all.push_back(word);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // A run of two steps, trained once.
  static std::string trained(const std::string& model, const std::string& horizon = "6") {
    const std::string name = model + (horizon == "6" ? "" : "-" + horizon);
    if (!std::filesystem::exists(path(name))) {
      output_of(training("stations.csv", name, "--steps 2 --season 12 --json " + std::string(kTiny),
                         {"--model", model, "--horizon", horizon}));
    }
    return path(name);
  }

  static void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err << result.signal;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

 private:
  static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace cmanp::testing

// What the tests of the program share: a way to run it, small models to run it with, and files made wrong on purpose.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {

// Every test has a folder of its own, with a model `small.cmanp` (dim_x 1, dim_y 1) in it.
class CliTest : public ::testing::Test {
 protected:
  CliTest();

  ProcessResult cmanp(const std::vector<std::string>& arguments, const std::string& input = "") const;
  ProcessResult cmanp(const std::vector<std::string>& arguments, const ProcessOptions& options) const;

  // The same, but a failure of the program is one of the test.
  std::string output_of(const std::vector<std::string>& arguments, const std::string& input = "") const;
  nlohmann::json json_of(const std::vector<std::string>& arguments, const std::string& input = "") const;

  // A table x,y of `rows` points of one fixed function, from number `first` on.
  static std::string points(std::size_t first, std::size_t rows);

  // The path of a file of the folder, as an argument.
  std::string operator()(const std::string& name) const { return (folder_ / name).string(); }

  // Expects that the program refuses with exit code 1 and one line that has all `parts`.
  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts,
                      const ProcessOptions& options = {}) const;

  TemporaryFolder folder_;
  std::string model_ = (folder_ / "small.cmanp").string();
};

// Whether `cmanp` finds the training half beside it.
bool has_training_half();

// The arguments that start the program.
std::vector<std::string> command(const std::vector<std::string>& arguments);

// Rows of numbers of a CSV text, without its header.
std::vector<std::vector<double>> csv_rows(const std::string& text);

// Safetensors bytes with their JSON header changed.
std::string with_header(const std::string& file, const std::function<void(nlohmann::json&)>& change);

}  // namespace cmanp::testing

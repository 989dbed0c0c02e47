// What a golden fixture (golden_folder.hpp) holds, for tests without libtorch.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden/golden_folder.hpp"
#include "support/plain_model.hpp"

namespace cmanp::testing {

// All numbers of a nested list in order.
inline void flatten(const nlohmann::json& list, std::vector<double>& out) {
  if (list.is_number()) {
    out.push_back(list.get<double>());
  } else {
    for (const auto& element : list) flatten(element, out);
  }
}

inline std::vector<double> flat(const nlohmann::json& list) {
  std::vector<double> out;
  flatten(list, out);
  return out;
}

struct Fixture {
  std::filesystem::path weights;
  nlohmann::json answers;

  Fixture(const std::string& model, const std::string& task) {
    const std::string stem = (golden_folder(task) / (model + "-" + task)).string();
    weights = stem + ".safetensors";
    std::ifstream(stem + ".json") >> answers;
  }

  std::size_t tasks() const { return answers.at("context_x").size(); }
  Points context(std::size_t task) const {
    return {flat(answers.at("context_x").at(task)), flat(answers.at("context_y").at(task))};
  }
  Points targets(std::size_t task) const {
    return {flat(answers.at("target_x").at(task)), flat(answers.at("target_y").at(task))};
  }
};

// Tests over the fixtures <model>-<task>, one for each task.
class OnFixtures : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() != "small" && !std::filesystem::exists(golden_folder(GetParam()))) {
      GTEST_SKIP() << "no large golden fixtures in " << golden_folder(GetParam())
                   << "; set CMANP_GOLDEN to their folder";
    }
  }
};

inline std::string task_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

// Element by element, |difference| <= tolerance * max(1, |expected|).
inline void expect_all_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance,
                            const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << what << " at " << i;
  }
}

}  // namespace cmanp::testing

// The definition in double against the values that the public implementation computes in float64.
#include <gtest/gtest.h>

#include "golden/formula_values.hpp"
#include "support/formula_weights.hpp"

namespace cmanp::testing {
namespace {

class PlainFormula : public ::testing::TestWithParam<FormulaValues> {
 protected:
  static PlainModel model(Covariance covariance) {
    const Config config = GetParam().config(covariance);
    return PlainModel(config, Normalisation::identity(config), formula_weights(config));
  }

  static double mean_score(const PlainModel& model, std::size_t block) {
    double sum = 0;
    for (const std::size_t b : {0u, 1u}) {
      const Task task = formula_task(model.config(), b);
      sum += model.score(task.context, task.targets, block);
    }
    return sum / 2;
  }

  static void expect_relative(double actual, double expected) { EXPECT_NEAR(actual / expected, 1, 1e-9); }
};

TEST_P(PlainFormula, Cmanp) {
  const PlainModel plain = model(Covariance::diagonal);
  expect_relative(mean_score(plain, 0), GetParam().diagonal);
  const Task task = formula_task(plain.config(), 0);
  const Diagonal prediction = plain.predict(plain.encode(task.context), task.targets.x);
  expect_relative(prediction.mean[0], GetParam().mean);
  expect_relative(prediction.std[0], GetParam().std);
}

TEST_P(PlainFormula, CmanpAnd) {
  const PlainModel plain = model(Covariance::cholesky);
  expect_relative(mean_score(plain, 2), GetParam().blocks_of_two);
  expect_relative(mean_score(plain, 1), GetParam().blocks_of_one);
  expect_relative(mean_score(plain, 0), GetParam().one_block);
}

INSTANTIATE_TEST_SUITE_P(Golden, PlainFormula, ::testing::ValuesIn(formula_values),
                         [](const auto& values) { return std::string(values.param.task); });

}  // namespace
}  // namespace cmanp::testing

// The runtime against the definition in double, over every freedom that a configuration has, from an empty context on.
#include <gtest/gtest.h>

#include <cmanp/cmanp.hpp>

#include "golden/fixtures.hpp"
#include "golden/freedoms.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

constexpr double tolerance = 2e-5;  // float32; rounding the weights alone moves answers by about 2e-6

class RuntimeDefinition : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    data_ = lively_model(freedoms().at(GetParam()), 11);
    data_.normalisation = unusual_normalisation(data_.config);
    const TemporaryFolder folder;
    runtime::write_model(folder / "model.safetensors", data_);
    model_ = std::make_unique<Model>(Model::load(folder / "model.safetensors"));
  }

  Context conditioned(const Points& points) const {
    Context context(*model_);
    if (!points.x.empty()) context.observe(points.x, points.y);
    return context;
  }

  runtime::ModelData data_;
  std::unique_ptr<Model> model_;
};

TEST_P(RuntimeDefinition, PredictsWhatThePlainModelDoes) {
  const PlainModel plain(data_);
  for (const std::size_t points : {0u, 1u, 2u, 37u, 700u}) {
    const Task task = random_task(data_.config, points, 11, points);
    const Diagonal expected = plain.predict(plain.encode(task.context), task.targets.x);
    std::vector<double> mean(expected.mean.size()), std(expected.std.size());
    conditioned(task.context).predict(task.targets.x, mean, std);
    expect_all_near(mean, expected.mean, tolerance, "mean after " + std::to_string(points));
    expect_all_near(std, expected.std, tolerance, "std after " + std::to_string(points));
  }
}

TEST_P(RuntimeDefinition, PredictsJointlyWhatThePlainModelDoes) {
  const PlainModel plain(data_);
  for (const std::size_t targets : {1u, 3u, 5u}) {
    const Task task = random_task(data_.config, 20, targets, targets);
    const Joint expected = plain.predict_joint(plain.encode(task.context), task.targets.x);
    std::vector<double> mean(expected.mean.size()), scale_tril(expected.scale_tril.values.size());
    conditioned(task.context).predict_joint(task.targets.x, mean, scale_tril);
    expect_all_near(mean, expected.mean, tolerance, "mean");
    expect_all_near(scale_tril, expected.scale_tril.values, tolerance, "scale_tril");
  }
}

TEST_P(RuntimeDefinition, ScoresAsThePlainModelDoes) {
  const PlainModel plain(data_);
  const Task task = random_task(data_.config, 20, 8, 1);
  // A Cholesky head with random weights is ill-conditioned.
  const double relative = data_.config.covariance == Covariance::cholesky ? 1e-3 : tolerance;
  for (const std::size_t block : {1u, 3u, 5u}) {
    const double expected = plain.score(task.context, task.targets, block);
    const Score actual = score(conditioned(task.context), task.targets.x, task.targets.y, block);
    EXPECT_NEAR(actual.log_likelihood / expected, 1, relative) << "in blocks of " << block;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& [name, config] : freedoms()) result.push_back(name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Freedoms, RuntimeDefinition, ::testing::ValuesIn(names()), task_name);

}  // namespace
}  // namespace cmanp::testing

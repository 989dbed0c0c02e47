// What holds for the definition where there is no published number to compare with.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "golden/fixtures.hpp"
#include "golden/freedoms.hpp"
#include "support/paper_update.hpp"
#include "support/plain_layers.hpp"

namespace cmanp::testing {
namespace {

TEST(PlainModel, AnswersBeforeTheFirstObservation) {
  const PlainModel model(lively_model(freedoms().at("own_widths"), 3));
  const Encoding nothing = model.encode({});
  for (const double value : nothing.states[0].output.values) EXPECT_EQ(value, 0);
  for (const double value : nothing.states[0].log_normaliser.values) EXPECT_EQ(value, -INFINITY);
  const Diagonal prediction = model.predict(nothing, {0.5});
  EXPECT_TRUE(std::isfinite(prediction.mean[0]));
  EXPECT_GT(prediction.std[0], 0);
}

// Raw data under a normalisation is normalised data under none, back in the raw units.
TEST(PlainModel, NormalisesInputsAndOutputs) {
  for (const char* name : {"fourier_features", "lowrank", "two_to_three"}) {
    runtime::ModelData data = lively_model(freedoms().at(name), 4);
    const PlainModel bare(data);
    data.normalisation = unusual_normalisation(data.config);
    const PlainModel model(data);
    const Task raw = random_task(data.config, 9, 3, 5);
    Task normalised = raw;
    const auto normalise = [](std::vector<double>& values, const std::vector<double>& shift,
                              const std::vector<double>& scale) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = (values[i] - shift[i % shift.size()]) / scale[i % scale.size()];
      }
    };
    double log_volume = 0;  // of one point's y
    for (const double scale : data.normalisation.y_scale) log_volume += std::log(scale);
    for (Points* points : {&normalised.context, &normalised.targets}) {
      normalise(points->x, data.normalisation.x_shift, data.normalisation.x_scale);
      normalise(points->y, data.normalisation.y_shift, data.normalisation.y_scale);
    }
    EXPECT_NEAR(model.score(raw.context, raw.targets, 2),
                bare.score(normalised.context, normalised.targets, 2) - log_volume, 1e-9)
        << name;
    Diagonal actual = model.predict(model.encode(raw.context), raw.targets.x);
    const Diagonal expected = bare.predict(bare.encode(normalised.context), normalised.targets.x);
    normalise(actual.mean, data.normalisation.y_shift, data.normalisation.y_scale);
    normalise(actual.std, std::vector<double>(data.config.dim_y, 0.0), data.normalisation.y_scale);
    expect_all_near(actual.mean, expected.mean, 1e-12, name);
    expect_all_near(actual.std, expected.std, 1e-12, name);
  }
}

// The configuration's freedoms must matter, or a test that varies them shows nothing.
TEST(PlainModel, ResidualAndBoundChangeTheAnswer) {
  runtime::ModelData data = lively_model(freedoms().at("own_widths"), 5);
  const Task task = random_task(data.config, 6, 2, 1);
  const auto predict = [&] {
    const PlainModel model(data);
    return model.predict(model.encode(task.context), task.targets.x);
  };
  const Diagonal before = predict();
  data.config.residual = Residual::plain;
  EXPECT_GT(std::abs(predict().mean[0] - before.mean[0]), 1e-4);
  data.config.residual = Residual::normalised;
  data.config.bound_std = true;
  EXPECT_EQ(predict().mean[0], before.mean[0]);
  EXPECT_NEAR(predict().std[0], 0.05 + 0.95 * std::log1p(before.std[0]), 1e-12);
}

TEST(PlainModel, LowRankFactorIsThatOfAPositiveCovariance) {
  const PlainModel model(lively_model(freedoms().at("lowrank"), 6));
  const Task task = random_task(model.config(), 5, 4, 2);
  const Joint joint = model.predict_joint(model.encode(task.context), task.targets.x);
  const Matrix covariance = times_transposed(joint.scale_tril, joint.scale_tril, nullptr);
  expect_all_near(cholesky(covariance).values, joint.scale_tril.values, 1e-12, "factor");
  // Untrained, exp(diag_net) is near 1, and the low-rank part adds to it.
  for (std::size_t i = 0; i < covariance.rows; ++i) EXPECT_GT(covariance(i, i), 0.5);
}

TEST(PaperUpdate, IsTheSoftmaxInDouble) {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  const std::size_t points = 200, dim = 3;
  // One query along the first axis: the scores are the keys' first coordinates.
  Matrix query(1, dim), keys(points, dim), values(points, dim);
  query(0, 0) = std::sqrt(static_cast<double>(dim));
  for (double& value : keys.values) value = normal(bits);
  for (double& value : values.values) value = 3 + normal(bits);
  const Attention whole = softmax_attention(query, keys, values, 1);

  PaperUpdate<double> rolling(dim);
  for (std::size_t n = 0; n < points;) {
    const std::size_t count = std::min<std::size_t>(n % 7 + 1, points - n);
    std::vector<double> scores;
    for (std::size_t i = 0; i < count; ++i) scores.push_back(keys(n + i, 0));
    rolling.update(scores, {values.row(n).data(), count * dim});
    n += count;
  }
  EXPECT_NEAR(rolling.log_normaliser(), whole.log_normaliser(0, 0), 1e-12);
  expect_all_near(rolling.output(), whole.output.values, 1e-12, "output");
}

}  // namespace
}  // namespace cmanp::testing

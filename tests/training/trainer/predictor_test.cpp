// Every model of the family over raw data: what it promises to those who predict, sample and score.
#include "training/evaluation/predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;

ModelConfig small_config() {
  ModelConfig config;
  config.dim_x = 2;
  config.dim_y = 2;
  config.dim_hid = 16;
  config.dim_lat = 5;
  config.eval_num_samples = 6;
  config.d_model = config.dim_feedforward = 16;
  config.nhead = 2;
  config.emb_depth = 2;
  config.num_layers = 2;
  config.num_latents = config.num_latents_per_layer = 6;
  config.num_std_layers = 1;
  config.prj_dim = 4;
  config.prj_depth = 2;
  config.distinct_layers = true;
  return config;
}

const Normalisation kUnits{{0.3, -1}, {1.7, 0.6}, {-0.2, 4}, {2.5, 0.3}};

struct Points {
  std::vector<double> x, y;
};

Points points(int first, int count) {
  Points made;
  for (int i = first; i < first + count; ++i) {
    made.x.insert(made.x.end(), {2 * std::sin(1.1 * i), std::cos(2.3 * i)});
    made.y.insert(made.y.end(), {std::cos(0.9 * i), 4 + std::sin(0.7 * i)});
  }
  return made;
}

Predictor conditioned(const std::string& model, const Points& context, const Normalisation& units = kUnits) {
  Predictor predictor({make_model(model, small_config(), 3), units});
  predictor.observe(context.x, context.y);
  return predictor;
}

Score score_of(const Predictor& predictor, const Points& targets, std::size_t block = 0) {
  return score(predictor, targets.x, targets.y, block, {});
}

std::vector<double> draws(const Predictor& predictor, const Points& targets, const SampleOptions& options) {
  std::vector<double> out(options.draws * targets.y.size());
  sample(predictor, targets.x, out, options, {});
  return out;
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, PredictsEachTargetByItself) {
  const Predictor predictor = conditioned(GetParam(), points(0, 9));
  const Points targets = points(9, 4);
  std::vector<double> mean(8), std(8), alone_mean(2), alone_std(2);
  predictor.predict(targets.x, mean, std);
  for (std::size_t i = 0; i < 4; ++i) {
    predictor.predict(std::span(targets.x).subspan(2 * i, 2), alone_mean, alone_std);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(mean[2 * i + c], alone_mean[c], 1e-5) << i;
      EXPECT_NEAR(std[2 * i + c], alone_std[c], 1e-5) << i;
      EXPECT_GT(std[2 * i + c], 0);
    }
  }
}

// Raw data under a normalisation is normalised data under none.
TEST_P(EveryModel, AnswersInTheUnitsOfTheData) {
  const auto normalised = [](Points raw) {
    for (std::size_t i = 0; i < raw.x.size(); ++i)
      raw.x[i] = (raw.x[i] - kUnits.x_shift[i % 2]) / kUnits.x_scale[i % 2];
    for (std::size_t i = 0; i < raw.y.size(); ++i)
      raw.y[i] = (raw.y[i] - kUnits.y_shift[i % 2]) / kUnits.y_scale[i % 2];
    return raw;
  };
  const Points context = points(0, 9), targets = points(9, 3);
  const Predictor raw = conditioned(GetParam(), context);
  const Predictor plain =
      conditioned(GetParam(), normalised(context), Normalisation::identity(shape_of(small_config())));
  std::vector<double> mean(6), std(6), plain_mean(6), plain_std(6);
  raw.predict(targets.x, mean, std);
  plain.predict(normalised(targets).x, plain_mean, plain_std);
  const SampleOptions two{.draws = 2, .block = 2, .seed = 5};
  const auto drawn = draws(raw, targets, two), plain_drawn = draws(plain, normalised(targets), two);
  for (std::size_t i = 0; i < 6; ++i) {
    const double shift = kUnits.y_shift[i % 2], scale = kUnits.y_scale[i % 2];
    EXPECT_NEAR(mean[i], plain_mean[i] * scale + shift, 1e-5);
    EXPECT_NEAR(std[i], plain_std[i] * scale, 1e-5);
    EXPECT_NEAR(drawn[6 + i], plain_drawn[6 + i] * scale + shift, 1e-4);
  }
  const double expected = score_of(plain, normalised(targets)).log_likelihood - std::log(2.5) - std::log(0.3);
  EXPECT_NEAR(score_of(raw, targets).log_likelihood, expected, 1e-3 * std::abs(expected));
}

TEST_P(EveryModel, ScoresBlocksByTheChainRule) {
  const Points targets = points(9, 5), head = points(9, 2);
  const double whole = score_of(conditioned(GetParam(), points(0, 9)), targets, 2).log_likelihood * 5;
  const double first = score_of(conditioned(GetParam(), points(0, 9)), head, 2).log_likelihood * 2;
  const double rest = score_of(conditioned(GetParam(), points(0, 11)), points(11, 3), 2).log_likelihood * 3;
  EXPECT_NEAR(whole, first + rest, 1e-4 * std::abs(whole));
  EXPECT_EQ(score_of(conditioned(GetParam(), points(0, 9)), targets).points, 5U);
}

TEST_P(EveryModel, DrawsAreSeeded) {
  const Predictor predictor = conditioned(GetParam(), points(0, 9));
  const Points targets = points(9, 5);
  const auto two = draws(predictor, targets, {.draws = 2, .block = 2, .seed = 1});
  auto three = draws(predictor, targets, {.draws = 3, .block = 2, .seed = 1});
  three.resize(two.size());
  EXPECT_EQ(two, three);
  EXPECT_NE(std::vector(two.begin(), two.begin() + 10), std::vector(two.begin() + 10, two.end()));
  EXPECT_NE(two, draws(predictor, targets, {.draws = 2, .block = 2, .seed = 2}));
}

// 9 points are known: with a growth of a third, blocks of two wait until they are three or more.
TEST_P(EveryModel, DrawsWaitUntilTheyAreAShareOfWhatIsKnown) {
  Predictor predictor = conditioned(GetParam(), points(0, 9));
  const Points targets = points(9, 5);
  const SampleOptions at_once{.draws = 1, .block = 2, .seed = 1};
  SampleOptions waiting = at_once;
  waiting.growth = 1.0 / 3;
  const auto fed_back = draws(predictor, targets, at_once), waited = draws(predictor, targets, waiting);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(fed_back[i], waited[i]) << i;  // the first block knows of no other
  EXPECT_NE(fed_back, waited);
  SampleOptions never = at_once;
  never.growth = 100;
  EXPECT_EQ(std::vector(waited.begin(), waited.begin() + 8), [&] {
    const auto all = draws(predictor, targets, never);
    return std::vector(all.begin(), all.begin() + 8);
  }());
  predictor.reset();
  EXPECT_EQ(predictor.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Family, EveryModel, ::testing::ValuesIn(model_names()),
                         [](const auto& model) { return model.param; });

// Where both halves run a model, they answer alike.
TEST(Predictor, AnswersAsTheLeanHalf) {
  const testing::TemporaryFolder folder;
  const Points context = points(0, 9), targets = points(9, 6);
  for (const std::string model : {"cmanp", "cmanpand"}) {
    const Predictor predictor = conditioned(model, context);
    save_model(folder / model, predictor.model(), "{}", kUnits);
    Context lean(Model::load(folder / model));
    lean.observe(context.x, context.y);
    std::vector<double> mean(12), std(12), lean_mean(12), lean_std(12);
    predictor.predict(targets.x, mean, std);
    lean.predict(targets.x, lean_mean, lean_std);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(mean[i], lean_mean[i], 2e-5) << model;
      EXPECT_NEAR(std[i], lean_std[i], 2e-5) << model;
    }
    for (const std::size_t block : {0U, 1U, 4U}) {
      const double expected = cmanp::score(lean, targets.x, targets.y, block).log_likelihood;
      EXPECT_NEAR(score_of(predictor, targets, block).log_likelihood, expected, 1e-3 * std::abs(expected))
          << model << " in blocks of " << block;
    }
  }
}

TEST(Predictor, RefusesWhatItCanNotTake) {
  Predictor predictor = conditioned("cnp", {});
  std::vector<double> out(2);
  const std::vector<double> x{0, 1};
  EXPECT_EQ(error_message([&] { predictor.predict(x, out, out); }), "cnp needs at least one context point");
  const std::vector<double> infinite{0, INFINITY};
  EXPECT_EQ(error_message([&] { predictor.observe(x, infinite); }), "point 1: y2 is inf, not a finite number");
  EXPECT_EQ(predictor.size(), 0U);
}

}  // namespace
}  // namespace cmanp::training

#include <cmanp/predictor.hpp>

#include "base/normal_source.hpp"
#include "golden/fixtures.hpp"
#include "runtime/small_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

struct JointAnswer {
  std::vector<double> mean, factor;
};

JointAnswer predict_joint(Context& context, const std::vector<double>& x) {
  const Config& config = context.model().config();
  const std::size_t n = x.size() / config.dim_x * config.dim_y;
  JointAnswer answer{std::vector<double>(n), std::vector<double>(n * n)};
  context.predict_joint(x, answer.mean, answer.factor);
  return answer;
}

class PredictorTest : public ::testing::TestWithParam<std::string> {
 protected:
  PredictorTest() { observe(context_, points_for(model_, 25)); }

  Model model_ = small_model(GetParam());
  Context context_{model_, {2, 5}};
};

// The same normal numbers, put through blocks by hand.
TEST_P(PredictorTest, ADrawFeedsItsOwnBlocksBack) {
  const std::size_t dy = model_.config().dim_y;
  const Points targets = points_for(model_, 7, 9);
  const SampleOptions options{3, 3, 17};
  std::vector<double> draws(3 * 7 * dy);
  sample(context_, targets.x, draws, options);
  for (std::size_t s = 0; s < 3; ++s) {
    Context own(context_);
    base::NormalSource normal(17, s);
    for (std::size_t at = 0; at < 7; at += 3) {
      const Points block = part(model_, targets, at, std::min<std::size_t>(at + 3, 7));
      const JointAnswer joint = predict_joint(own, block.x);
      const std::size_t n = joint.mean.size();
      std::vector<double> z(n), y = joint.mean;
      for (double& value : z) value = normal.next();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) y[i] += joint.factor[i * n + j] * z[j];
        ASSERT_NEAR(draws[(s * 7 + at) * dy + i], y[i], 1e-6 * (1 + std::abs(y[i])));
      }
      own.observe(block.x, y);
    }
  }
}

// 25 points are known: with a growth of a tenth, three draws are fed back, then the next three.
TEST_P(PredictorTest, DrawsWaitUntilTheyAreAShareOfWhatIsKnown) {
  const std::size_t dy = model_.config().dim_y;
  const Points targets = points_for(model_, 7, 9);
  std::vector<double> draw(7 * dy);
  sample(context_, targets.x, draw, {.block = 1, .seed = 17, .growth = 0.1});
  Context own(context_);
  base::NormalSource normal(17, 0);
  for (std::size_t at = 0; at < 7; ++at) {
    const auto drawn = [&](std::size_t begin, std::size_t end) {
      return std::vector(draw.begin() + static_cast<std::ptrdiff_t>(begin * dy),
                         draw.begin() + static_cast<std::ptrdiff_t>(end * dy));
    };
    if (at > 0 && at % 3 == 0) own.observe(part(model_, targets, at - 3, at).x, drawn(at - 3, at));
    const JointAnswer joint = predict_joint(own, part(model_, targets, at, at + 1).x);
    std::vector<double> z(dy), y = joint.mean;
    for (double& value : z) value = normal.next();
    for (std::size_t i = 0; i < dy; ++i) {
      for (std::size_t j = 0; j <= i; ++j) y[i] += joint.factor[i * dy + j] * z[j];
      ASSERT_NEAR(draw[at * dy + i], y[i], 1e-6 * (1 + std::abs(y[i])));
    }
  }
  EXPECT_NE(error_message([&] { sample(context_, targets.x, draw, {.growth = -1}); }).find("growth"),
            std::string::npos);
}

TEST_P(PredictorTest, DrawsHaveTheMomentsOfTheJointDistribution) {
  const std::size_t dy = model_.config().dim_y, n = 3 * dy, draws = 20'000;
  const std::vector<double> x = points_for(model_, 3, 9).x;
  std::vector<double> out(draws * n);
  sample(context_, x, out, {draws, 5, 1});
  const JointAnswer joint = predict_joint(context_, x);
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0;
    for (std::size_t s = 0; s < draws; ++s) mean += out[s * n + i] / static_cast<double>(draws);
    double variance_i = 0;
    for (std::size_t k = 0; k <= i; ++k) variance_i += joint.factor[i * n + k] * joint.factor[i * n + k];
    // Five standard errors.
    EXPECT_NEAR(mean, joint.mean[i], 5 * std::sqrt(variance_i / static_cast<double>(draws)));
    for (std::size_t j = 0; j <= i; ++j) {
      double covariance = 0, want = 0, variance_j = 0;
      for (std::size_t s = 0; s < draws; ++s) {
        covariance += (out[s * n + i] - joint.mean[i]) * (out[s * n + j] - joint.mean[j]) / static_cast<double>(draws);
      }
      for (std::size_t k = 0; k <= j; ++k) want += joint.factor[i * n + k] * joint.factor[j * n + k];
      for (std::size_t k = 0; k <= j; ++k) variance_j += joint.factor[j * n + k] * joint.factor[j * n + k];
      EXPECT_NEAR(covariance, want, 5 * std::sqrt(2 * variance_i * variance_j / static_cast<double>(draws)));
    }
  }
}

TEST_P(PredictorTest, DrawsDependOnTheSeedAlone) {
  const std::vector<double> x = points_for(model_, 4, 9).x;
  const std::size_t size = 4 * model_.config().dim_y;
  std::vector<double> few(2 * size), many(6 * size), other(2 * size);
  sample(context_, x, few, {2, 2, 1});
  sample(context_, x, many, {6, 2, 1});
  sample(context_, x, other, {2, 2, 2});
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, other);
}

TEST_P(PredictorTest, ABlockOfNoneIsTheContextsOwn) {
  const std::vector<double> x = points_for(model_, 12, 9).x;
  std::vector<double> one(12 * model_.config().dim_y), other(one);
  sample(context_, x, one, {.seed = 3});
  sample(context_, x, other, {.block = 5, .seed = 3});
  EXPECT_EQ(one, other);
}

TEST_P(PredictorTest, ABlockOfMoreThanAllTargetsIsAllOfThem) {
  const Points targets = points_for(model_, 6, 9);
  EXPECT_EQ(score(context_, targets.x, targets.y, 6).log_likelihood,
            score(context_, targets.x, targets.y, std::size_t{1} << 60).log_likelihood);
}

TEST_P(PredictorTest, ScoringAndDrawingLeaveTheContextAsItWas) {
  const Points targets = points_for(model_, 12, 9);
  const Diagonal before = predict(context_, targets.x);
  score(context_, targets.x, targets.y, 3);
  std::vector<double> draws(2 * targets.y.size());
  sample(context_, targets.x, draws, {2, 3, 1});
  EXPECT_EQ(context_.size(), 25u);
  EXPECT_EQ(predict(context_, targets.x).mean, before.mean);
}

TEST_P(PredictorTest, BlocksOfOneAreTheSumOfConditionals) {
  const Points targets = points_for(model_, 6, 9);
  const double chain = score(context_, targets.x, targets.y, 1).log_likelihood;
  double sum = 0;
  Context growing(context_);
  for (std::size_t i = 0; i < 6; ++i) {
    const Points one = part(model_, targets, i, i + 1);
    sum += score(growing, one.x, one.y, 1).log_likelihood;
    observe(growing, one);
  }
  EXPECT_NEAR(chain, sum / 6, 1e-4 * std::abs(chain));
}

TEST_P(PredictorTest, BadRequestsAreRefused) {
  const Points targets = points_for(model_, 4, 9);
  std::vector<double> draws(targets.y.size());
  EXPECT_THROW(sample(context_, targets.x, std::span(draws).first(1), {1, 5, 0}), Error);
  // A block is the context's own at most, which is what its memory was made for.
  EXPECT_EQ(error_kind([&] { sample(context_, targets.x, draws, {.block = 6}); }), ErrorKind::argument);
  EXPECT_EQ(error_kind([&] { sample(context_, targets.x, draws, {.draws = SIZE_MAX / 2 + 2}); }), ErrorKind::argument);
  EXPECT_THROW(score(context_, targets.x, std::span(targets.y).first(model_.config().dim_y)), Error);
  EXPECT_THROW(score(context_, {}, {}), Error);
}

INSTANTIATE_TEST_SUITE_P(Freedoms, PredictorTest, ::testing::Values("base", "cholesky_bound", "lowrank"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace cmanp::testing

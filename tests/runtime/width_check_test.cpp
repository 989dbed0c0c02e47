// Deviations by what held-out observations say of them: honest near the data, the model's own far away, in the state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "runtime/small_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

Model framed_model(const std::string& freedom) {
  runtime::ModelData data = lively_model(freedoms().at(freedom), 5);
  data.config.frames = true;
  return runtime::make_model(data);
}

// Noise of one deviation about a level, which even weights that were never trained can say something of.
Points noise_of(std::size_t count, std::uint64_t seed = 1) {
  base::Random random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    points.x.push_back(60.0 * random.uniform(0, 60));
    points.y.push_back(20 + 0.5 * random.normal());
  }
  return points;
}

double mean_square_error_in_deviations(Context& context, const Points& asked) {
  const Diagonal answers = predict(context, asked.x);
  double sum = 0;
  for (std::size_t i = 0; i < asked.y.size(); ++i) sum += std::pow((asked.y[i] - answers.mean[i]) / answers.std[i], 2);
  return sum / static_cast<double>(asked.y.size());
}

class WidthChecks : public ::testing::TestWithParam<std::string> {};

TEST_P(WidthChecks, MakeDeviationsHonestBetweenTheData) {
  const Model model = framed_model(GetParam());
  const Points seen = noise_of(400), asked = noise_of(400, 2);
  const Range range = model.config().relative() ? Range{{0}, {3600}} : Range{};
  Context checked(model, {.range = range}), plain(model, {.range = range, .widths = false});
  checked.observe_whole(seen.x, seen.y);
  plain.observe_whole(seen.x, seen.y);
  ASSERT_EQ(checked.frame()->widths.size(), 1u);
  EXPECT_TRUE(plain.frame()->widths.empty());
  const double before = mean_square_error_in_deviations(plain, asked);
  const double after = mean_square_error_in_deviations(checked, asked);
  EXPECT_GT(std::abs(std::log(before)), 0.3) << "the model is honest by itself, and the test says nothing";
  // 400 squares of normal errors have a mean that is off by 7 %; these are asked for by 320 or 400 others.
  EXPECT_NEAR(after, 1, 0.25);
}

TEST_P(WidthChecks, LeaveMeansAsTheyAreAndAddNoMoreThanNearTheData) {
  const Model model = framed_model(GetParam());
  const Points seen = noise_of(100);
  Context checked(model), plain(model, {.widths = false});
  checked.observe_whole(seen.x, seen.y);
  plain.observe_whole(seen.x, seen.y);
  const WidthCheck check = checked.frame()->widths.at(0);
  const double scale = checked.frame()->y_scale[0];
  const std::vector<double> asked{100, 1000, 3599, 6000};
  const Diagonal by_check = predict(checked, asked), own = predict(plain, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(by_check.mean[i], own.mean[i]);
    const double variance = std::pow(own.std[i] / scale, 2);
    const double expected = variance + (check.factor - 1) * std::min(variance, check.level);
    EXPECT_NEAR(by_check.std[i], scale * std::sqrt(expected), 1e-12 * scale);
  }
  // The same deviations in every kind of answer.
  double log_likelihood = 0;
  for (std::size_t i = 0; i < 2; ++i) log_likelihood -= 0.5 * std::log(2 * M_PI) + std::log(by_check.std[i]);
  const std::vector<double> two(asked.begin(), asked.begin() + 2),
      truths(by_check.mean.begin(), by_check.mean.begin() + 2);
  EXPECT_NEAR(score(checked, two, truths).log_likelihood, 0.5 * log_likelihood, 1e-9);
  std::vector<double> mean(2), tril(4);
  checked.predict_joint(two, mean, tril);
  EXPECT_NEAR(tril[0], by_check.std[0], 1e-9);
  EXPECT_NEAR(std::hypot(tril[2], tril[3]), by_check.std[1], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Models, WidthChecks, ::testing::Values("base", "relative"),
                         [](const auto& one) { return one.param; });

TEST(WidthCheck, DoesNotDependOnTheOrder) {
  const Model model = framed_model("relative");
  const Points seen = noise_of(150);
  std::vector<std::size_t> order(seen.x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return seen.y[a] < seen.y[b]; });
  Points other;
  for (const std::size_t i : order) {
    other.x.push_back(seen.x[i]);
    other.y.push_back(seen.y[i]);
  }
  EXPECT_EQ(model.find_frame(seen.x, seen.y).widths, model.find_frame(other.x, other.y).widths);
}

TEST(WidthCheck, IsNoneWhereThereIsLittleToSay) {
  const Model model = framed_model("relative");
  EXPECT_TRUE(model.find_frame(noise_of(19).x, noise_of(19).y).widths.empty());
  EXPECT_EQ(model.find_frame(noise_of(20).x, noise_of(20).y).widths.size(), 1u);
  Points one_place = noise_of(50);
  std::fill(one_place.x.begin(), one_place.x.end(), 7.0);
  EXPECT_TRUE(model.find_frame(one_place.x, one_place.y).widths.empty());
  Points level = noise_of(50);
  std::fill(level.y.begin(), level.y.end(), 7.0);
  const Normalisation frame = model.find_frame(level.x, level.y);  // all errors the same: defined, whatever it is
  ASSERT_EQ(frame.widths.size(), 1u);
  EXPECT_TRUE(std::isfinite(frame.widths[0].factor));
}

TEST(WidthCheck, OfManyObservationsLooksAtSome) {
  const Model model = framed_model("base");
  const Points many = noise_of(5000);
  const Normalisation frame = model.find_frame(many.x, many.y);
  ASSERT_EQ(frame.widths.size(), 1u);
  const Points few = noise_of(1000);
  EXPECT_NEAR(std::log(frame.widths[0].factor / model.find_frame(few.x, few.y).widths.at(0).factor), 0, 0.3);
}

TEST(WidthCheck, ReadingsInStepsAreKnownToAStepAtBest) {
  const Model model = framed_model("relative");
  Points seen = noise_of(400);
  for (double& y : seen.y) y = std::round(y / 0.5) * 0.5;
  Context context(model, {.range = {{0}, {3600}}});
  context.observe_whole(seen.x, seen.y);
  const double least = context.frame()->widths.at(0).least * context.frame()->y_scale[0];
  EXPECT_NEAR(least, 0.5 / std::sqrt(12.0), 1e-9);
  EXPECT_GE(predict(context, {seen.x[0]}).std[0], least * (1 - 1e-9));
  EXPECT_EQ(Context::from_bytes(model, context.to_bytes()).frame(), context.frame());
  EXPECT_EQ(model.find_frame(noise_of(400).x, noise_of(400).y).widths.at(0).least, 0);
}

TEST(WidthCheck, IsInTheStateAndDoesNotHinderMerging) {
  const Model model = framed_model("relative");
  const Points seen = noise_of(60);
  Context context(model);
  context.observe_whole(seen.x, seen.y);
  ASSERT_EQ(context.frame()->widths.size(), 1u);
  Context loaded = Context::from_bytes(model, context.to_bytes());
  EXPECT_EQ(loaded.frame(), context.frame());
  EXPECT_EQ(predict(loaded, {600}).std, predict(context, {600}).std);
  Normalisation frame = *context.frame();
  frame.widths.clear();
  Context given(model, {.range = context.range(), .frame = frame});
  loaded.merge(given);
  frame.widths = {{.factor = -1, .level = 1}};
  EXPECT_NE(error_message([&] { Context(model, {.frame = frame}); }).find("check of widths"), std::string::npos);
  frame.widths = {{}, {}};
  EXPECT_NE(error_message([&] { Context(model, {.frame = frame}); }).find("2 checks of widths"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::testing

#include <cmanp/context.hpp>
#include <limits>
#include <numeric>

#include "golden/fixtures.hpp"
#include "runtime/small_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

// Two ways to the same softmax differ by float rounding of chunks, nothing more.
constexpr double kTolerance = 1e-5;

void expect_same_answers(Context& a, Context& b, double tolerance) {
  const std::vector<double> x = points_for(a.model(), 20, 99).x;
  const Diagonal left = predict(a, x), right = predict(b, x);
  expect_all_near(left.mean, right.mean, tolerance, "mean");
  expect_all_near(left.std, right.std, tolerance, "std");
}

class ContextTest : public ::testing::TestWithParam<std::string> {
 protected:
  Model model_ = small_model(GetParam());
};

TEST_P(ContextTest, UpdateEqualsRecompute) {
  const Points all = points_for(model_, 500);
  Context whole(model_), updated(model_);
  observe(whole, all);
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 200}, {200, 201}, {201, 500}}) {
    observe(updated, part(model_, all, static_cast<std::size_t>(begin), static_cast<std::size_t>(end)));
    predict(updated, {all.x.begin(), all.x.begin() + static_cast<std::ptrdiff_t>(model_.config().dim_x)});
  }
  EXPECT_EQ(updated.size(), 500u);
  expect_same_answers(whole, updated, kTolerance);
}

TEST_P(ContextTest, OneByOneGivesTheSameBitsAsAllAtOnce) {
  const Points all = points_for(model_, 300);
  Context whole(model_), single(model_);
  observe(whole, all);
  for (std::size_t i = 0; i < 300; ++i) observe(single, part(model_, all, i, i + 1));
  expect_same_answers(whole, single, 0.0);
}

TEST_P(ContextTest, OrderDoesNotMatter) {
  const Points all = points_for(model_, 400);
  Context forward(model_), backward(model_);
  observe(forward, all);
  for (std::size_t i = 400; i-- > 0;) observe(backward, part(model_, all, i, i + 1));
  expect_same_answers(forward, backward, kTolerance);
}

TEST_P(ContextTest, MergeEqualsUnion) {
  const Points all = points_for(model_, 450);
  Context whole(model_), left(model_), right(model_), empty(model_);
  observe(whole, all);
  observe(left, part(model_, all, 0, 170));
  observe(right, part(model_, all, 170, 450));
  left.merge(right);
  left.merge(empty);
  empty.merge(left);
  EXPECT_EQ(left.size(), 450u);
  EXPECT_EQ(empty.size(), 450u);
  expect_same_answers(whole, left, kTolerance);
  expect_same_answers(whole, empty, kTolerance);
}

TEST_P(ContextTest, MergedWithItselfIsEveryPointTwice) {
  const Points all = points_for(model_, 150);
  Context twice(model_), merged(model_);
  observe(twice, all);
  observe(twice, all);
  observe(merged, all);
  merged.merge(merged);
  EXPECT_EQ(merged.size(), 300u);
  expect_same_answers(twice, merged, kTolerance);
}

TEST_P(ContextTest, CopiesAreIndependent) {
  const Points all = points_for(model_, 200);
  Context original(model_);
  observe(original, part(model_, all, 0, 100));
  Context copy(original), half(model_);
  observe(copy, part(model_, all, 100, 200));
  observe(half, part(model_, all, 0, 100));
  EXPECT_EQ(original.size(), 100u);
  EXPECT_EQ(copy.size(), 200u);
  expect_same_answers(original, half, 0.0);
  original = copy;
  expect_same_answers(original, copy, 0.0);
}

TEST_P(ContextTest, ResetForgetsEverything) {
  Context used(model_), fresh(model_);
  observe(used, points_for(model_, 200));
  used.reset();
  EXPECT_EQ(used.size(), 0u);
  expect_same_answers(used, fresh, 0.0);
}

// Tiles and their rests: a target's answer depends on nothing but itself.
TEST_P(ContextTest, ATargetsAnswerDoesNotDependOnTheOthers) {
  Context context(model_, {2, 5});
  observe(context, points_for(model_, 50));
  const Points targets = points_for(model_, 250, 7);
  const Diagonal together = predict(context, targets.x);
  const std::size_t dy = model_.config().dim_y;
  for (std::size_t i = 0; i < 250; i += 31) {
    const Diagonal alone = predict(context, part(model_, targets, i, i + 1).x);
    for (std::size_t c = 0; c < dy; ++c) {
      EXPECT_NEAR(alone.mean[c], together.mean[i * dy + c], 1e-6);
      EXPECT_NEAR(alone.std[c], together.std[i * dy + c], 1e-6);
    }
  }
}

TEST_P(ContextTest, BadNumbersAreRefusedAndNothingIsKept) {
  Context context(model_), clean(model_);
  const Points good = points_for(model_, 10);
  observe(context, good);
  observe(clean, good);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Points points = points_for(model_, 5, 3);
    points.y[3 * model_.config().dim_y] = bad;
    const std::string message = error_message([&] { observe(context, points); });
    EXPECT_NE(message.find("point 4: y1"), std::string::npos) << message;
    points = points_for(model_, 5, 3);
    points.x[0] = bad;
    EXPECT_NE(error_message([&] { observe(context, points); }).find("point 1: x1"), std::string::npos);
    EXPECT_NE(error_message([&] { predict(context, points.x); }).find("point 1: x1"), std::string::npos);
  }
  EXPECT_EQ(context.size(), 10u);
  expect_same_answers(context, clean, 0.0);
}

TEST_P(ContextTest, WrongSizesAreRefused) {
  Context context(model_);
  const Points points = points_for(model_, 4);
  EXPECT_THROW(context.observe(points.x, std::span(points.y).first(1)), Error);
  std::vector<double> mean(points.y.size()), std(points.y.size());
  EXPECT_THROW(context.predict(points.x, std::span(mean).first(1), std), Error);
  EXPECT_THROW(context.predict(points.x, mean, std::span(std).first(1)), Error);
  const Points six = points_for(model_, 6);
  std::vector<double> joint_mean(six.y.size()), factor(six.y.size() * six.y.size());
  EXPECT_NE(error_message([&] { context.predict_joint(six.x, joint_mean, factor); }).find("predicts 5 jointly at most"),
            std::string::npos);
  EXPECT_EQ(context.size(), 0u);
}

TEST_P(ContextTest, MemoryIsToldBeforehandAndDoesNotGrow) {
  for (const ContextOptions& options : {ContextOptions{1, 5}, {3, 5}, {2, 200}}) {
    Context context(model_, options);
    const Memory told = model_.memory(options);
    observe(context, points_for(model_, 1000));
    const Memory used = context.memory();
    EXPECT_EQ(used.total(), told.total());
    EXPECT_EQ(used.state, told.state);
  }
  EXPECT_THROW(model_.memory({0, 5}), Error);
  EXPECT_THROW(Context(model_, {1, 0}), Error);
}

INSTANTIATE_TEST_SUITE_P(Freedoms, ContextTest,
                         ::testing::Values("base", "own_widths", "odd", "one_of_all", "cholesky", "lowrank_all"),
                         [](const auto& instance) { return instance.param; });

TEST(ContextOfAnotherModel, CannotBeMerged) {
  Context a(small_model("base", 1)), b(small_model("base", 2));
  EXPECT_NE(error_message([&] { a.merge(b); }).find("different models"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::testing

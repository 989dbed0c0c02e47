// Windows: a context that rests on its latest observations alone is one that has seen no others.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/access.hpp"
#include "runtime/engine.hpp"
#include "runtime/framing.hpp"
#include "runtime/small_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

constexpr std::size_t kWindow = 64;

Model model_of(const std::string& freedom, bool frames) {
  runtime::ModelData data = lively_model(freedoms().at(freedom), 5);
  data.config.frames = frames;
  return runtime::make_model(data);
}

// A sensor read every ten seconds, whose level drifts far beyond where it began.
Points readings(std::size_t count) {
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    points.x.push_back(1.7e9 + 10 * t);
    points.y.push_back(20 + 0.5 * t + std::sin(0.3 * t));
  }
  return points;
}

class Window : public ::testing::Test {
 protected:
  Context open(std::size_t window = kWindow) const { return Context(model_, {.window = window}); }

  Model model_ = model_of("relative", true);
  Points points_ = readings(1000);
};

TEST_F(Window, RestsOnTheLatestObservationsAlone) {
  Context context = open();
  for (const std::size_t seen : {40U, 130U, 700U, 1000U}) {
    context.reset();
    context = open();
    observe(context, part(model_, points_, 0, seen));
    const auto rests_on = static_cast<std::size_t>(context.size());
    EXPECT_GE(rests_on, std::min<std::size_t>(seen, kWindow));
    EXPECT_LT(rests_on, 2 * kWindow);
    Context fresh(model_, {.range = context.range(), .frame = context.frame()});
    observe(fresh, part(model_, points_, seen - rests_on, seen));
    const std::vector<double> x{points_.x[seen - 1] - 55, points_.x[seen - 1] + 20};
    const Diagonal expected = predict(fresh, x), answer = predict(context, x);
    const double unit = context.frame()->y_scale[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(answer.mean[i], expected.mean[i], 1e-5 * unit) << seen;
      EXPECT_NEAR(answer.std[i], expected.std[i], 1e-5 * unit) << seen;
    }
  }
}

TEST_F(Window, GoesWhereverXGoesAndItsFrameWithIt) {
  Context all(model_);
  EXPECT_THROW(observe(all, points_), Error);  // beyond the range that its first observations ask for
  Context context = open();
  observe(context, part(model_, points_, 0, 100));
  const Normalisation before = context.frame().value();
  observe(context, part(model_, points_, 100, 1000));
  EXPECT_GT(context.frame()->y_shift[0], before.y_shift[0] + 300);
  EXPECT_GE(context.range().high[0], points_.x.back());
  Context leapt(context);
  leapt.observe(std::vector{4e9}, std::vector{520.0});
  EXPECT_GE(leapt.range().high[0], 4e9);
}

TEST_F(Window, HowObservationsComeDoesNotMatter) {
  Context at_once = open(), one_by_one = open(), in_parts = open();
  observe(at_once, points_);
  for (std::size_t i = 0; i < 1000; ++i) observe(one_by_one, part(model_, points_, i, i + 1));
  for (std::size_t i = 0; i < 1000; i += 37) {
    observe(in_parts, part(model_, points_, i, std::min<std::size_t>(1000, i + 37)));
  }
  EXPECT_EQ(at_once.to_bytes(), one_by_one.to_bytes());
  EXPECT_EQ(at_once.to_bytes(), in_parts.to_bytes());
}

TEST_F(Window, IsPartOfTheState) {
  Context whole = open();
  observe(whole, points_);
  for (const std::size_t seen : {0U, 20U, 32U, 33U, 300U}) {
    Context context = open();
    observe(context, part(model_, points_, 0, seen));
    Context loaded = Context::from_bytes(model_, context.to_bytes());
    EXPECT_EQ(loaded.options().window, kWindow);
    observe(loaded, part(model_, points_, seen, 1000));
    EXPECT_EQ(loaded.to_bytes(), whole.to_bytes()) << seen;
  }
  EXPECT_EQ(error_kind([&] { Context::from_bytes(model_, whole.to_bytes(), {.window = 99}); }), ErrorKind::argument);
  Context forgets_nothing(model_);
  observe(forgets_nothing, part(model_, points_, 0, 33));
  EXPECT_THROW(Context::from_bytes(model_, forgets_nothing.to_bytes(), {.window = kWindow}), Error);
  runtime::StateData damaged = runtime::Access::engine(whole).state();
  damaged.recent.x.pop_back();
  damaged.recent.y.pop_back();
  EXPECT_NE(error_message([&] { Context::from_bytes(model_, runtime::state_bytes(damaged)); }).find("window"),
            std::string::npos);
}

// What was usual is of the whole stream: of what waited for a frame, and of what the window has forgotten.
TEST_F(Window, KeepsWhatWasUsual) {
  Context context = open();
  const auto unusual = [&]() -> auto& { return runtime::Access::engine(context).unusual(); };
  unusual().resize(1);
  for (std::size_t i = 0; i < 1000; ++i) {
    unusual()[0].add(points_.y[i], 0);
    observe(context, part(model_, points_, i, i + 1));
    if (i % 10 == 0) context = Context::from_bytes(model_, context.to_bytes());
  }
  EXPECT_EQ(unusual()[0].count, 1000U);
}

// A level that holds, far from all that was seen.
Points heated(std::size_t count) {
  Points points = readings(count);
  for (std::size_t i = 0; i < count; ++i) points.y[i] = (i < 50 ? 20 : 500) + std::sin(7.0 * static_cast<double>(i));
  return points;
}

TEST_F(Window, ItsFrameFollowsALevelAtOnce) {
  const Points points = heated(120);
  Context context = open();
  observe(context, part(model_, points, 0, 53));
  const double narrow = context.frame()->y_scale[0];
  EXPECT_LT(narrow, 2);
  Context spiked(context);  // three were outliers
  spiked.observe(std::vector{points.x[53]}, std::vector{20.0});
  EXPECT_EQ(spiked.frame()->y_scale[0], narrow);
  observe(context, part(model_, points, 53, 54));
  EXPECT_GT(context.frame()->y_scale[0], 20 * narrow);
  observe(context, part(model_, points, 54, 120));
  EXPECT_LT(std::abs(500 - context.frame()->y_shift[0]) / context.frame()->y_scale[0], 8);
}

TEST_F(Window, HowALevelComesDoesNotMatter) {
  const Points points = heated(300);
  Context at_once = open(), in_parts = open();
  observe(at_once, points);
  for (std::size_t i = 0; i < 300; i += 17) {
    observe(in_parts, part(model_, points, i, std::min<std::size_t>(300, i + 17)));
    in_parts = Context::from_bytes(model_, in_parts.to_bytes());
  }
  EXPECT_EQ(at_once.to_bytes(), in_parts.to_bytes());
}

TEST_F(Window, ABadPointLeavesNothingBehind) {
  Context context = open();
  observe(context, part(model_, points_, 0, 100));
  const std::vector<std::byte> before = context.to_bytes();
  Points bad = part(model_, points_, 100, 400);
  bad.y[250] = std::nan("");
  EXPECT_THROW(observe(context, bad), Error);
  EXPECT_EQ(context.to_bytes(), before);
}

TEST_F(Window, DoesNotMergeAndHasItsBounds) {
  Context one = open(), other = open();
  EXPECT_EQ(error_kind([&] { one.merge(other); }), ErrorKind::argument);
  EXPECT_THROW(open(3), Error);
  EXPECT_EQ(one.memory().state, Context(model_).memory().state + 2 * kWindow * 2 * sizeof(double));
  EXPECT_EQ(model_.memory({.window = kWindow}).context(), one.memory().context());
}

TEST_F(Window, OfAModelWithoutFramesForgetsAsWell) {
  const Model plain = model_of("base", false);
  const Points points = points_for(plain, 500);
  Context context(plain, {.window = kWindow}), fresh(plain);
  observe(context, points);
  observe(fresh, part(plain, points, 500 - static_cast<std::size_t>(context.size()), 500));
  EXPECT_LT(context.size(), 2 * kWindow);
  const std::vector<double> x = points_for(plain, 5, 9).x;
  const Diagonal expected = predict(fresh, x), answer = predict(context, x);
  for (std::size_t i = 0; i < expected.mean.size(); ++i) EXPECT_NEAR(answer.mean[i], expected.mean[i], 1e-5);
}

}  // namespace
}  // namespace cmanp::testing

// Frames: the caller's units are the data's, the network never sees them, and the frame is part of the state.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "runtime/access.hpp"
#include "runtime/engine.hpp"
#include "runtime/framing.hpp"
#include "runtime/small_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

Model model_of(bool frames, const std::string& freedom = "base") {
  runtime::ModelData data = lively_model(freedoms().at(freedom), 5);
  data.config.frames = frames;
  return runtime::make_model(data);
}

// Far from the model's own units, and other ones in every column.
Normalisation odd_frame(const Config& config) {
  Normalisation frame = Normalisation::identity(config);
  for (std::size_t c = 0; c < config.dim_x; ++c) {
    frame.x_shift[c] = 1.7e9 + 10 * static_cast<double>(c);
    frame.x_scale[c] = 900 + static_cast<double>(c);
  }
  for (std::size_t c = 0; c < config.dim_y; ++c) {
    frame.y_shift[c] = 22.5;
    frame.y_scale[c] = 1.25 + static_cast<double>(c);
  }
  return frame;
}

Points raw(const Points& points, const Normalisation& frame) {
  Points result = points;
  const std::size_t dx = frame.x_shift.size(), dy = frame.y_shift.size();
  for (std::size_t i = 0; i < result.x.size(); ++i) {
    result.x[i] = points.x[i] * frame.x_scale[i % dx] + frame.x_shift[i % dx];
  }
  for (std::size_t i = 0; i < result.y.size(); ++i) {
    result.y[i] = points.y[i] * frame.y_scale[i % dy] + frame.y_shift[i % dy];
  }
  return result;
}

class FrameTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FrameTest, AnswersAreInTheDatasOwnUnits) {
  const Model plain = model_of(false, GetParam()), framed = model_of(true, GetParam());
  const Config& config = plain.config();
  const Normalisation frame = odd_frame(config);
  const Points seen = points_for(plain, 200), asked = points_for(plain, 4, 9);
  const Points raw_seen = raw(seen, frame), raw_asked = raw(asked, frame);
  Context own(plain), given(framed, {.frame = frame});
  observe(own, seen);
  observe(given, raw_seen);
  EXPECT_EQ(given.size(), own.size());
  const Diagonal expected = predict(own, asked.x), answers = predict(given, raw_asked.x);
  const std::size_t dy = config.dim_y, n = expected.mean.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = frame.y_scale[i % dy];
    EXPECT_NEAR(answers.mean[i], expected.mean[i] * scale + frame.y_shift[i % dy], 1e-3);
    EXPECT_NEAR(answers.std[i], expected.std[i] * scale, 1e-3);
  }
  std::vector<double> mean(n), tril(n * n), own_mean(n), own_tril(n * n);
  own.predict_joint(asked.x, own_mean, own_tril);
  given.predict_joint(raw_asked.x, mean, tril);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(tril[i * n + j], own_tril[i * n + j] * frame.y_scale[i % dy], 1e-3);
  }
  double jacobian = 0;
  for (const double scale : frame.y_scale) jacobian += std::log(scale);
  EXPECT_NEAR(score(given, raw_asked.x, raw_asked.y).log_likelihood,
              score(own, asked.x, asked.y).log_likelihood - jacobian, 1e-2);
  std::vector<double> drawn(2 * n), own_drawn(2 * n);
  sample(own, asked.x, own_drawn, {.draws = 2});
  sample(given, raw_asked.x, drawn, {.draws = 2});
  for (std::size_t i = 0; i < 2 * n; ++i) {
    EXPECT_NEAR(drawn[i], own_drawn[i] * frame.y_scale[i % dy] + frame.y_shift[i % dy], 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, FrameTest, ::testing::Values("base", "two_to_three", "cholesky"),
                         [](const auto& one) { return one.param; });

TEST(Frame, IsFoundFromTheFirstObservationsHoweverTheyCome) {
  const Model model = model_of(true);
  const Points points = raw(points_for(model, 100), odd_frame(model.config()));
  Context at_once(model), one_by_one(model);
  observe(at_once, points);
  const std::size_t dx = model.config().dim_x, dy = model.config().dim_y;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(one_by_one.frame().has_value(), i >= 32) << i;
    one_by_one.observe(std::span(points.x).subspan(i * dx, dx), std::span(points.y).subspan(i * dy, dy));
    EXPECT_EQ(one_by_one.size(), i + 1);
  }
  EXPECT_EQ(at_once.to_bytes(), one_by_one.to_bytes());
  const Points first = part(model, points, 0, 32);
  EXPECT_EQ(at_once.frame(), model.find_frame(first.x, first.y));
}

TEST(Frame, OfDataAtHandAsAWholeIsFoundFromAllOfThem) {
  const Model model = model_of(true);
  const Points points = raw(points_for(model, 100), odd_frame(model.config()));
  Context whole(model), later(model), given(model, {.frame = odd_frame(model.config())});
  whole.observe_whole(points.x, points.y);
  EXPECT_EQ(whole.frame(), model.find_frame(points.x, points.y));
  EXPECT_EQ(whole.size(), 100U);
  // With those that waited; a frame that is there stays.
  observe(later, part(model, points, 0, 20));
  const Points rest = part(model, points, 20, 100);
  later.observe_whole(rest.x, rest.y);
  EXPECT_EQ(later.to_bytes(), whole.to_bytes());
  given.observe_whole(points.x, points.y);
  EXPECT_EQ(given.frame(), odd_frame(model.config()));
  // Few points are enough, none are not; a bad one leaves nothing behind.
  Context few(model), none(model);
  const Points two = part(model, points, 0, 2);
  few.observe_whole(two.x, two.y);
  EXPECT_TRUE(few.frame());
  none.observe_whole({}, {});
  EXPECT_FALSE(none.frame());
  Points bad = points;
  bad.y.back() = std::nan("");
  EXPECT_THROW(none.observe_whole(bad.x, bad.y), Error);
  EXPECT_FALSE(none.frame());
  EXPECT_EQ(none.size(), 0U);
}

TEST(Frame, HoldsItsOwnEnds) {
  base::Random random(1);
  for (const double offset : {0.0, 40.0, 1.7e9}) {
    for (int i = 0; i < 1000; ++i) {
      const double low = offset + 50 * random.uniform(), high = low + 50 * random.uniform() + 1e-3;
      const Normalisation frame = frame_between({{low}, {high}}, {{0}, {1}});
      const double shift = frame.x_shift[0], scale = frame.x_scale[0];
      EXPECT_GE((low - shift) / scale, frame_low) << low;
      EXPECT_LE((high - shift) / scale, frame_high) << high;
      EXPECT_NEAR(scale, (high - low) / 4, 1e-6);
    }
  }
}

TEST(Frame, IsToldByItsEndsAndMadeOfThemAgain) {
  const Model model = model_of(true, "two_to_three");
  const Normalisation frame = odd_frame(model.config());
  const Normalisation again =
      frame_between(frame_ends(frame.x_shift, frame.x_scale), frame_ends(frame.y_shift, frame.y_scale));
  EXPECT_EQ(frame_between({{0}, {3600}}, {{20}, {25}}), (Normalisation{{1800}, {900}, {22.5}, {1.25}}));
  // What rounding does to it is no other frame.
  const Points points = raw(points_for(model, 50), frame);
  Context one(model, {.frame = frame}), other(model, {.frame = again});
  observe(one, points);
  observe(other, points);
  one.merge(other);
  EXPECT_EQ(one.size(), 100U);
  EXPECT_EQ(Context::from_bytes(model, one.to_bytes(), {.frame = again}).size(), 100U);
  Normalisation off = frame;
  off.x_shift[0] += 1e-5 * off.x_scale[0];
  EXPECT_THROW(one.merge(Context(model, {.frame = off})), Error);
  for (const double end : {5.0, 4.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_THROW(frame_between({{5}, {end}}, {{0}, {1}}), Error) << end;
  }
  EXPECT_THROW(frame_between({{1}, {2, 3}}, {{0}, {1}}), Error);
  EXPECT_TRUE(std::isfinite(frame_between({{-1e308}, {1e308}}, {{0}, {1}}).x_scale[0]));
}

TEST(Frame, UntilThenAnswersAreThePriorsAndWide) {
  const Model model = model_of(true);
  const Points points = raw(points_for(model, 10), odd_frame(model.config()));
  Context context(model);
  const std::size_t dx = model.config().dim_x;
  const std::vector<double> asked(points.x.begin(), points.x.begin() + static_cast<std::ptrdiff_t>(dx));
  EXPECT_TRUE(std::isfinite(predict(context, asked).mean[0]));  // of nothing at all
  observe(context, part(model, points, 0, 2));
  const Diagonal few = predict(context, asked);
  observe(context, part(model, points, 2, 10));
  const Diagonal more = predict(context, asked), elsewhere = predict(context, std::vector<double>(dx, -1e6));
  EXPECT_EQ(more.mean, elsewhere.mean);  // whatever x
  EXPECT_NEAR(more.mean[0], 22.5, 20);
  const double spread = runtime::find_frame(points.x, points.y, model.config(), true, true).y_scale[0];
  EXPECT_GT(more.std[0], 0);
  EXPECT_GT(few.std[0] / runtime::find_frame(part(model, points, 0, 2).x, part(model, points, 0, 2).y, model.config(),
                                             true, true)
                             .y_scale[0],
            more.std[0] / spread);  // the wider the less is known
}

TEST(Frame, IsPartOfTheState) {
  const Model model = model_of(true);
  const Points points = raw(points_for(model, 150), odd_frame(model.config()));
  for (const std::size_t seen : {0U, 1U, 20U, 32U, 150U}) {
    Context context(model);
    observe(context, part(model, points, 0, seen));
    Context loaded = Context::from_bytes(model, context.to_bytes());
    EXPECT_EQ(loaded.size(), seen);
    EXPECT_EQ(loaded.frame(), context.frame());
    observe(context, part(model, points, seen, 150));
    observe(loaded, part(model, points, seen, 150));
    EXPECT_EQ(loaded.to_bytes(), context.to_bytes()) << seen;
  }
  Context framed(model, {.frame = odd_frame(model.config())});
  observe(framed, points);
  Normalisation other = odd_frame(model.config());
  other.y_scale[0] = 2;
  EXPECT_THROW(Context::from_bytes(model, framed.to_bytes(), {.frame = other}), Error);
  EXPECT_EQ(Context::from_bytes(model, framed.to_bytes(), {.frame = odd_frame(model.config())}).size(), 150U);
  Context copy(framed);
  EXPECT_EQ(copy.frame(), framed.frame());
}

TEST(Frame, MergesAgreeOrAreRefusedWithTheFlags) {
  const Model model = model_of(true);
  const Normalisation frame = odd_frame(model.config());
  const Points points = raw(points_for(model, 100), frame);
  const auto seen = [&](std::size_t begin, std::size_t end, const ContextOptions& options) {
    Context context(model, options);
    observe(context, part(model, points, begin, end));
    return context;
  };
  Context all = seen(0, 100, {.frame = frame});
  const std::vector<double> asked(points.x.begin(),
                                  points.x.begin() + static_cast<std::ptrdiff_t>(model.config().dim_x));
  const Diagonal expected = predict(all, asked);
  const auto expect_all = [&](Context merged) {
    EXPECT_EQ(merged.size(), 100U);
    EXPECT_EQ(merged.frame(), frame);
    const Diagonal answers = predict(merged, asked);
    EXPECT_NEAR(answers.mean[0], expected.mean[0], 1e-3);
  };
  Context left = seen(0, 60, {.frame = frame}), few = seen(60, 100, {.frame = frame});
  left.merge(few);
  expect_all(left);
  // One that still waits goes by the other's frame, from either side.
  Context waiting = seen(80, 100, {}), framed = seen(0, 80, {.frame = frame});
  Context one = framed, other = waiting;
  one.merge(waiting);
  expect_all(one);
  other.merge(framed);
  expect_all(other);
  for (const bool turned : {false, true}) {  // and without the model
    runtime::StateData data = runtime::Access::engine(turned ? waiting : framed).state();
    data.merge(runtime::Access::engine(turned ? framed : waiting).state());
    EXPECT_EQ(data.points, 100U);
    EXPECT_EQ(data.frame, frame);
    EXPECT_FALSE(data.waiting);
  }
  Context two = seen(0, 10, {});
  two.merge(seen(10, 20, {}));
  EXPECT_EQ(two.size(), 20U);
  EXPECT_FALSE(two.frame());
  Context alone = seen(0, 40, {});
  const std::string message = error_message([&] { alone.merge(framed); });
  EXPECT_NE(message.find("different frames"), std::string::npos) << message;
  EXPECT_NE(message.find("--x-frame"), std::string::npos) << message;
  runtime::StateData data = runtime::Access::engine(alone).state();
  EXPECT_THROW(data.merge(runtime::Access::engine(framed).state()), Error);
}

TEST(Frame, OfConstantFewAndNoPointsIsDefined) {
  const Model model = model_of(true);
  const std::size_t dx = model.config().dim_x, dy = model.config().dim_y;
  for (const std::size_t count : {1U, 2U, 40U}) {
    for (const bool constant_y : {false, true}) {
      Context context(model);
      for (std::size_t i = 0; i < count; ++i) {
        context.observe(std::vector<double>(dx, 7.0),
                        std::vector<double>(dy, constant_y ? 5.0 : static_cast<double>(i)));
      }
      const Diagonal answers = predict(context, std::vector<double>(dx, 7.0));
      EXPECT_TRUE(std::isfinite(answers.mean[0]) && answers.std[0] > 0 && std::isfinite(answers.std[0]));
      EXPECT_TRUE(
          std::isfinite(score(context, std::vector<double>(dx, 7.0), std::vector<double>(dy, 5.0)).log_likelihood));
    }
  }
  Context nothing(model);
  EXPECT_TRUE(std::isfinite(score(nothing, std::vector<double>(dx, 7.0), std::vector<double>(dy, 5.0)).log_likelihood));
}

TEST(Frame, WithoutWidthOrOfOtherColumnsIsRefused) {
  const Model model = model_of(true);
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-320}) {
    Normalisation frame = Normalisation::identity(model.config());
    frame.y_scale[0] = scale;
    EXPECT_THROW(Context(model, {.frame = frame}), Error) << scale;
  }
  Normalisation wide = Normalisation::identity(model.config());
  wide.x_shift.push_back(0);
  wide.x_scale.push_back(1);
  EXPECT_THROW(Context(model, {.frame = wide}), Error);
  EXPECT_THROW(Context(model, {.warm_up = 0}), Error);
}

TEST(Frame, ABadPointLeavesNothingBehindWhileOthersWait) {
  const Model model = model_of(true);
  const Points points = points_for(model, 40);
  Context context(model);
  observe(context, part(model, points, 0, 20));
  Points bad = part(model, points, 20, 40);
  bad.y.back() = std::nan("");
  EXPECT_THROW(observe(context, bad), Error);
  EXPECT_EQ(context.size(), 20U);
  EXPECT_FALSE(context.frame());
}

TEST(Frame, TheEndsOfARangeAreInIt) {
  const Model model = model_of(true, "relative");
  for (const double end : {1.9999999999999998, 0.1, 3599.9, 1.7e9 + 0.3}) {
    const Normalisation frame{{0.3 * end}, {0.7 * end}, {0}, {1}};
    Context context(model, {.range = {{-end}, {end}}, .frame = frame});
    context.observe(std::vector{-end, end}, std::vector{0.0, 0.1});
    EXPECT_EQ(context.size(), 2U);
    EXPECT_THROW(context.observe(std::vector{end * 1.001}, std::vector{0.0}), Error);
  }
}

// A day of 24 hours over ten days, some of it unexplained.
Points hours() {
  Points points;
  for (int hour = 0; hour < 240; ++hour) {
    const double noise = hour * 7919 % 101 / 101.0 - 0.5;
    points.x.push_back(1.7e9 + 3600.0 * hour);
    points.y.push_back(500 + 30 * std::sin(hour * M_PI / 12) + 4 * noise);
  }
  return points;
}

class Seasons : public ::testing::TestWithParam<std::string> {};

TEST_P(Seasons, AreFoundWithTheFrameAndPutUponAnswers) {
  const Model model = model_of(true, GetParam());
  const Points points = hours();
  const Range range = model.config().relative() ? Range{{1.69e9}, {1.71e9}} : Range{};
  Context with(model, {.range = range, .widths = false}), without(model, {.range = range, .seasons = false});
  with.observe_whole(points.x, points.y);
  without.observe_whole(points.x, points.y);
  ASSERT_EQ(with.frame()->seasons.size(), 1u);
  EXPECT_TRUE(without.frame()->seasons.empty());
  const Season& season = with.frame()->seasons[0];
  EXPECT_DOUBLE_EQ(season.period, 24 * 3600.0);
  EXPECT_LT(with.frame()->y_scale[0], 0.3 * without.frame()->y_scale[0]);  // of the rest

  // The same as of a context that is given the rest, and no season.
  Points rest = points;
  for (std::size_t i = 0; i < rest.x.size(); ++i) rest.y[i] -= season.at(rest.x[i]);
  Normalisation frame = *with.frame();
  frame.seasons.clear();
  Context by_hand(model, {.range = range, .frame = frame});
  observe(by_hand, rest);
  const std::vector<double> asked{1.7e9 + 3600.0 * 100.5, 1.7e9 + 3600.0 * 239, 1.7e9 + 3600.0 * 250};
  const Diagonal answers = predict(with, asked), expected = predict(by_hand, asked);
  std::vector<double> truths;
  double log_likelihood = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_NEAR(answers.mean[i], expected.mean[i] + season.at(asked[i]), 1e-9);
    EXPECT_NEAR(answers.std[i], expected.std[i] * season.widening, 1e-9);
    truths.push_back(answers.mean[i] + 0.1);
    const double z = 0.1 / answers.std[i];
    log_likelihood += (-0.5 * z * z - std::log(answers.std[i]) - 0.5 * std::log(2 * M_PI)) / 3;
  }
  EXPECT_NEAR(score(with, asked, truths).log_likelihood, log_likelihood, 1e-9);
  std::vector<double> mean(3), tril(9), own_mean(3), own_tril(9), drawn(6), own_drawn(6);
  with.predict_joint(asked, mean, tril);
  by_hand.predict_joint(asked, own_mean, own_tril);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(tril[i], own_tril[i] * season.widening, 1e-9);
  sample(with, asked, drawn, {.draws = 2});
  sample(by_hand, asked, own_drawn, {.draws = 2});
  for (std::size_t i = 0; i < 6; ++i) {
    const double about = own_drawn[i] - own_mean[i % 3];
    EXPECT_NEAR(drawn[i], mean[i % 3] + season.widening * about, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Seasons, ::testing::Values("base", "relative"),
                         [](const auto& one) { return one.param; });

TEST(Frame, SeasonsAreInTheStateAndDecideAboutMerging) {
  const Model model = model_of(true, "relative");
  const Points points = hours();
  Context context(model, {.range = {{1.69e9}, {1.71e9}}});
  context.observe_whole(points.x, points.y);
  ASSERT_FALSE(context.frame()->seasons.empty());
  Context loaded = Context::from_bytes(model, context.to_bytes());
  EXPECT_EQ(loaded.frame(), context.frame());
  const std::vector<double> asked{1.7e9 + 3600.0 * 50};
  EXPECT_EQ(predict(loaded, asked).mean, predict(context, asked).mean);
  loaded.merge(context);
  EXPECT_EQ(loaded.size(), 480u);
  Normalisation frame = *context.frame();
  frame.seasons.clear();
  Context other(model, {.range = context.range(), .frame = frame});
  EXPECT_NE(error_message([&] { other.merge(context); }).find("season"), std::string::npos);
  frame.seasons = {Season{}};
  frame.seasons[0].column = 1;
  EXPECT_THROW(Context(model, {.frame = frame}), Error);
  frame.seasons[0] = {.cosine = {std::nan("")}, .sine = {0}};
  EXPECT_THROW(Context(model, {.frame = frame}), Error);
}

TEST(Frame, AWindowFindsSeasonsAsItGoesOn) {
  const Model model = model_of(true, "relative");
  const Points points = hours();
  Context context(model, {.window = 128});
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    context.observe(std::span(points.x).subspan(i, 1), std::span(points.y).subspan(i, 1));
  }
  ASSERT_EQ(context.frame()->seasons.size(), 1u);
  EXPECT_DOUBLE_EQ(context.frame()->seasons[0].period, 24 * 3600.0);
}

}  // namespace
}  // namespace cmanp::testing

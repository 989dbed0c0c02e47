// Relative coordinates: only differences of x count; the range belongs to the context, and its state says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "files/safetensors.hpp"
#include "runtime/access.hpp"
#include "runtime/grid.hpp"
#include "runtime/small_model.hpp"
#include "runtime/state_data.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

void expect_same(const Diagonal& one, const Diagonal& other, double tolerance, const std::string& what) {
  EXPECT_LT(apart(one.mean, other.mean), tolerance) << what;
  EXPECT_LT(apart(one.std, other.std), tolerance) << what;
}

Range shifted(Range range, double by) {
  for (auto* ends : {&range.low, &range.high}) {
    for (double& end : *ends) end += by;
  }
  return range;
}

// To a step of 1/1024, so that shifts by whole numbers are exact.
Points rounded(Points points, double shift = 0) {
  for (double& x : points.x) x = std::round(x * 1024) / 1024 + shift;
  return points;
}

class RelativeContext : public ::testing::TestWithParam<std::string> {
 protected:
  Context open(const Range& range) const { return Context(model_, {.range = range}); }
  Range box(double low, double high) const {
    return {std::vector<double>(model_.config().dim_x, low), std::vector<double>(model_.config().dim_x, high)};
  }

  Model model_ = small_model(GetParam());
  Points points_ = rounded(points_for(model_, 300)), targets_ = rounded(points_for(model_, 40, 2));
};

TEST_P(RelativeContext, AShiftOfAllXChangesNothing) {
  if (model_.config().absolute_features) GTEST_SKIP() << "knows x besides";
  Context here = open(box(-2, 2));
  observe(here, points_);
  const Diagonal expected = predict(here, targets_.x);
  const std::size_t block = 5 * model_.config().dim_x, n = 5 * model_.config().dim_y;
  std::vector<double> mean(n), factor(n * n), mean_there(n), factor_there(n * n);
  here.predict_joint(std::span(targets_.x).first(block), mean, factor);
  for (const double shift : {0.25, -64.0, 1e6}) {
    Context there = open(shifted(box(-2, 2), shift));
    observe(there, rounded(points_, shift));
    const std::vector<double> x = rounded(targets_, shift).x;
    expect_same(predict(there, x), expected, 1e-5, std::to_string(shift));
    there.predict_joint(std::span(x).first(block), mean_there, factor_there);
    EXPECT_LT(apart(mean_there, mean), 1e-5) << shift;
    EXPECT_LT(apart(factor_there, factor), 1e-5) << shift;
  }
}

TEST_P(RelativeContext, OrderChunksAndThreadsDoNotMatter) {
  Context whole = open({});
  observe(whole, points_);
  const Diagonal expected = predict(whole, targets_.x);
  Context back = open({}), pieces = open({}), threads(model_, {.threads = 3});
  const std::size_t count = points_.x.size() / model_.config().dim_x;
  for (std::size_t i = count; i-- > 0;) observe(back, part(model_, points_, i, i + 1));
  for (std::size_t i = 0; i < count; i += 60) {
    observe(pieces, part(model_, points_, i, i + 60));
    predict(pieces, targets_.x);  // folds what is pending
  }
  observe(threads, points_);
  expect_same(predict(back, targets_.x), expected, 1e-5, "backwards");
  expect_same(predict(pieces, targets_.x), expected, 1e-5, "an update at a time");
  const Diagonal parallel = predict(threads, targets_.x);
  EXPECT_EQ(parallel.mean, expected.mean);
  EXPECT_EQ(parallel.std, expected.std);
}

TEST_P(RelativeContext, MergedIsTheUnion) {
  Context one = open({}), other = open({}), whole = open({});
  observe(one, part(model_, points_, 0, 130));
  observe(other, part(model_, points_, 130, 300));
  observe(whole, points_);
  const Context loaded = Context::from_bytes(model_, other.to_bytes());
  one.merge(loaded);
  EXPECT_EQ(one.size(), 300U);
  expect_same(predict(one, targets_.x), predict(whole, targets_.x), 1e-5, "merged");
}

TEST_P(RelativeContext, NothingSeenIsDefinedAndTheContextIsRead) {
  Context empty = open({}), one = open({});
  const Diagonal before = predict(empty, targets_.x);
  for (const double value : before.std) EXPECT_TRUE(std::isfinite(value) && value > 0);
  observe(one, part(model_, points_, 0, 20));
  EXPECT_GT(apart(predict(one, targets_.x).mean, before.mean), 1e-3);
}

// Latents beyond what any point or target reaches change nothing: a range may be wider than asked for.
TEST_P(RelativeContext, ARangeCanGrowAndShrink) {
  const double step = model_.config().spacing;
  Context narrow = open(box(-2, 2)), wide = open(box(-2 - 4 * step, 2 + 4 * step));
  observe(narrow, points_);
  observe(wide, points_);
  EXPECT_GT(wide.memory().state, narrow.memory().state);
  for (Context* context : {&narrow, &wide}) {
    EXPECT_EQ(context->memory().context(), model_.memory(context->options()).context());
    const Diagonal answers = predict(*context, targets_.x);
    for (const double value : answers.mean) EXPECT_TRUE(std::isfinite(value));
  }
}

// What is out of reach is left out, and no float notices: over a range of many reaches against the full sums.
TEST_P(RelativeContext, ReachLeavesNothingOutThatCounts) {
  const auto without_reach = [&] {
    runtime::Weights weights = runtime::Access::weights(model_);
    for (runtime::RelativeBlock& block : weights.relative->blocks) {
      for (auto* layer : {&block.context, &block.own_self, &block.cross, &block.self}) layer->relative.reach = {};
    }
    for (runtime::RelativeDecoderLayer& layer : weights.relative->decoder) layer.attention.relative.reach = {};
    return runtime::Access::model(std::make_shared<const runtime::Weights>(std::move(weights)));
  };
  const Model whole = without_reach();
  const runtime::Reaches reach = runtime::reaches(*runtime::Access::weights(model_).relative);
  // Several x need a small box: latents are its volume.
  const double extent =
      model_.config().dim_x == 1 ? 6.0 * static_cast<double>(std::max(reach.context, reach.latents)) : 20;
  EXPECT_LT(reach.targets, 1000);
  Context with(model_, {.range = box(-extent, extent)}), full(whole, {.range = box(-extent, extent)});
  Points points = points_, targets = targets_;
  for (Points* some : {&points, &targets}) {
    for (double& x : some->x) x *= extent / 2;
  }
  observe(with, points);
  observe(full, points);
  expect_same(predict(with, targets.x), predict(full, targets.x), 1e-6, "all over the range");
  const std::vector<double> one(targets.x.begin(),
                                targets.x.begin() + static_cast<std::ptrdiff_t>(model_.config().dim_x));
  expect_same(predict(with, one), predict(full, one), 1e-6, "one target");
}

// Over a wide range many points are sorted before they are taken in, and targets before they are answered: nobody
// notices how many came at once.
TEST_P(RelativeContext, WhatIsSortedOverAWideRangeIsTheSame) {
  const std::size_t axes = model_.config().dim_x;
  const double extent = 340 * model_.config().spacing * model_.normalisation().x_scale[0];
  Range range = box(-2, 2);
  range.low[0] = -extent;
  range.high[0] = extent;
  Points points = points_for(model_, 2500), targets = points_for(model_, 1300, 2);
  for (Points* some : {&points, &targets}) {
    for (std::size_t i = 0; i < some->x.size(); i += axes) some->x[i] *= extent / 2;
  }
  Context whole = open(range), pieces = open(range), threads(model_, {.threads = 3, .range = range});
  observe(whole, points);
  observe(threads, points);
  for (std::size_t i = 0; i < 2500; i += 625) observe(pieces, part(model_, points, i, i + 625));
  EXPECT_EQ(pieces.to_bytes(), whole.to_bytes());
  EXPECT_EQ(threads.to_bytes(), whole.to_bytes());
  const Diagonal answers = predict(whole, targets.x), parallel = predict(threads, targets.x);
  EXPECT_EQ(parallel.mean, answers.mean);
  EXPECT_EQ(parallel.std, answers.std);
  const std::size_t dx = model_.config().dim_x, dy = model_.config().dim_y;
  for (const std::size_t i : {0u, 700u, 1299u}) {
    const auto at = targets.x.begin() + static_cast<std::ptrdiff_t>(i * dx);
    const Diagonal alone = predict(whole, {at, at + static_cast<std::ptrdiff_t>(dx)});
    for (std::size_t c = 0; c < dy; ++c) EXPECT_NEAR(alone.mean[c], answers.mean[i * dy + c], 1e-6);
  }
}

TEST_P(RelativeContext, StatesComeBackOverTheirRange) {
  const Range range = box(-2.125, 2.5);
  Context context = open(range);
  observe(context, points_);
  const Diagonal expected = predict(context, targets_.x);
  observe(context, part(model_, points_, 0, 3));  // pending
  Context loaded = Context::from_bytes(model_, context.to_bytes());
  EXPECT_EQ(loaded.options().range, range);
  EXPECT_EQ(loaded.to_bytes(), context.to_bytes());
  expect_same(predict(loaded, targets_.x), predict(context, targets_.x), 1e-12, "loaded");
  EXPECT_EQ(Context::from_bytes(model_, context.to_bytes(), {.range = range}).size(), 303U);
  EXPECT_NE(error_message([&] {
              Context::from_bytes(model_, context.to_bytes(), {.range = box(-2, 2)}, "my");
            }).find("my: it has the range"),
            std::string::npos);
  Context copy(context);
  EXPECT_EQ(copy.options().range, range);
  EXPECT_THROW(Context(context, {.range = box(-2, 2)}), Error);
  Context elsewhere = open(box(-2, 2));
  EXPECT_NE(error_message([&] { copy.merge(elsewhere); }).find("cannot be merged"), std::string::npos);
}

TEST_P(RelativeContext, PointsOutsideAreRefusedOrTaken) {
  Context context = open(box(-2, 2));
  std::vector<double> x(2 * model_.config().dim_x, 0.5), y(2 * model_.config().dim_y, 0.25);
  x.back() = 2.001;
  const std::string message = error_message([&] { context.observe(x, y); });
  EXPECT_NE(message.find("point 2: x is"), std::string::npos) << message;
  EXPECT_NE(message.find("outside of the range -2:2"), std::string::npos) << message;
  EXPECT_EQ(context.size(), 0U);  // nothing of the call
  Context taking(model_, {.range = box(-2, 2), .outside = Outside::take});
  taking.observe(x, y);
  x.back() = 1e9;  // far beyond all reach
  taking.observe(x, y);
  EXPECT_EQ(taking.size(), 4U);
  for (const double value : predict(taking, targets_.x).mean) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(Context::from_bytes(model_, taking.to_bytes()).size(), 4U);
  context.merge(taking);
  EXPECT_EQ(context.size(), 4U);
}

TEST_P(RelativeContext, TargetsOutsideGetThePrior) {
  const std::size_t dx = model_.config().dim_x, dy = model_.config().dim_y;
  Context context = open(box(-2, 2)), empty = open({});
  observe(context, points_);
  std::vector<double> x(targets_.x.begin(), targets_.x.begin() + static_cast<std::ptrdiff_t>(3 * dx));
  const Diagonal within = predict(context, x);
  x.insert(x.begin() + static_cast<std::ptrdiff_t>(dx), dx, 40.0);
  const Diagonal answers = predict(context, x);
  const Diagonal prior = predict(empty, std::vector<double>(dx, 0.0));
  for (std::size_t c = 0; c < dy; ++c) {
    EXPECT_EQ(answers.mean[dy + c], prior.mean[c]);
    EXPECT_EQ(answers.std[dy + c], prior.std[c]);
    EXPECT_NEAR(answers.mean[2 * dy + c], within.mean[dy + c], 1e-6);
  }
  // Jointly, those within are as if nobody had asked for the other.
  std::vector<double> mean(4 * dy), factor(16 * dy * dy), own_mean(3 * dy), own_factor(9 * dy * dy);
  context.predict_joint(x, mean, factor);
  x.erase(x.begin() + static_cast<std::ptrdiff_t>(dx), x.begin() + static_cast<std::ptrdiff_t>(2 * dx));
  context.predict_joint(x, own_mean, own_factor);
  const auto row = [&](std::size_t i) { return i < dy ? i : i + dy; };
  for (std::size_t i = 0; i < 3 * dy; ++i) {
    EXPECT_EQ(mean[row(i)], own_mean[i]);
    for (std::size_t j = 0; j < 3 * dy; ++j) EXPECT_EQ(factor[row(i) * 4 * dy + row(j)], own_factor[i * 3 * dy + j]);
    for (std::size_t c = 0; c < dy; ++c) EXPECT_EQ(factor[row(i) * 4 * dy + dy + c], 0.0);
  }
  for (std::size_t c = 0; c < dy; ++c) EXPECT_GT(factor[(dy + c) * 4 * dy + dy + c], 0.0);
}

TEST_P(RelativeContext, SamplesAndScoresAnswerForAllTargets) {
  Context context = open({});
  observe(context, points_);
  std::vector<double> x(targets_.x.begin(),
                        targets_.x.begin() + static_cast<std::ptrdiff_t>(12 * model_.config().dim_x));
  x[0] = 77;  // outside: drawn from the prior, fed back to nobody
  std::vector<double> y(12 * model_.config().dim_y, 0.5), out(3 * y.size());
  sample(context, x, out, {.draws = 3});
  for (const double value : out) EXPECT_TRUE(std::isfinite(value));
  for (const std::size_t block : {0u, 1u, 5u}) EXPECT_TRUE(std::isfinite(score(context, x, y, block).log_likelihood));
}

INSTANTIATE_TEST_SUITE_P(Models, RelativeContext,
                         ::testing::Values("relative", "relative_all", "relative_cholesky", "relative_lowrank"),
                         [](const auto& instance) { return instance.param; });

TEST(RelativeRange, WhatIsNoneIsRefused) {
  const Model model = small_model("relative");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::pair<double, double>& ends :
       {std::pair{1.0, 1.0}, {2.0, 1.0}, {0.0, infinity}, {std::nan(""), 1.0}, {0.0, std::nan("")}}) {
    const auto open = [&] { Context(model, {.range = {{ends.first}, {ends.second}}}); };
    EXPECT_NE(error_message(open).find("a range from"), std::string::npos);
  }
  for (const double high : {1e6, 1e300}) {
    const std::string message = error_message([&] { model.memory({.range = {{0}, {high}}}); });
    EXPECT_NE(message.find("latents, more than there can be"), std::string::npos) << message;
  }
  EXPECT_THROW(Context(model, {.range = {{0, 0}, {1, 1}}}), Error);
  EXPECT_THROW(Context(model, {.range = {{0}, {}}}), Error);
  EXPECT_NE(error_message([] {
              Context(small_model("base"), {.range = {{0}, {1}}});
            }).find("relative coordinates"),
            std::string::npos);
}

class RelativeState : public ::testing::Test {
 protected:
  // A state whose range says this.
  std::string loading(const std::string& range) {
    Context context(model_);
    observe(context, points_for(model_, 20));
    const std::vector<std::byte> bytes = context.to_bytes();
    const files::Safetensors file = files::Safetensors::parse(bytes, "state");
    files::Metadata metadata = file.metadata();
    if (range.empty()) {
      metadata.erase("range");
    } else {
      metadata["range"] = range;
    }
    return error_message(
        [&] { Context::from_bytes(model_, files::safetensors_bytes("state", metadata, file.tensors())); });
  }

  Model model_ = small_model("relative");
};

TEST_F(RelativeState, HostileRangesAreRefused) {
  EXPECT_EQ(loading(R"({"low":[-2.5],"high":[2.5]})"), "(no error)");
  for (const char* range :
       {"", "{}", "[]", "7", "nonsense", R"({"low":[0],"high":[0]})", R"({"low":[1],"high":[0]})",
        R"({"low":[0],"high":[1e999]})", R"({"low":[0],"high":[null]})", R"({"low":[0,0],"high":[1,1]})",
        R"({"low":[0],"high":["1"]})", R"({"low":[0],"high":[1e300]})", R"({"low":[0],"high":[1e5]})",
        R"({"low":[-2.5],"high":[2.5],"more":1})", R"({"low":[-3],"high":[3]})"}) {
    EXPECT_NE(loading(range).find("state: "), std::string::npos) << range << " " << loading(range);
  }
}

TEST_F(RelativeState, StatesOfOtherRangesDoNotMergeWithoutTheModel) {
  Context one(model_, {.range = {{0}, {1}}}), other(model_, {.range = {{0.5}, {1.5}}});
  runtime::StateData left = runtime::parse_state(files::Safetensors::parse(one.to_bytes(), "one"));
  const runtime::StateData right = runtime::parse_state(files::Safetensors::parse(other.to_bytes(), "other"));
  EXPECT_EQ(error_message([&] { left.merge(right); }),
            "states over the ranges 0:1 and 0.5:1.5 cannot be merged: their latents lie elsewhere");
}

}  // namespace
}  // namespace cmanp::testing

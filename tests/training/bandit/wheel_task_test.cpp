// The wheel bandit as a task: the published batch, new problems, and games of which only the played arm is known.
#include "training/tasks/wheel_task.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_message.hpp"
#include "training/tasks/wheel_history.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using Json = nlohmann::ordered_json;

Settings wheel_settings(const Json& more) {
  Json document{{"task", "wheel"}};
  document.update(more);
  return parse_settings(document, "");
}

TEST(WheelTask, PaperCodeIsOneFixedBatch) {
  const auto task = make_task(wheel_settings({{"model", "cnp"}}));
  const Batch first = task->training_batch(0, 0), later = task->training_batch(5, 99);
  EXPECT_EQ(first.xc.sizes(), (std::vector<std::int64_t>{8, 512, 2}));
  EXPECT_EQ(first.yt.sizes(), (std::vector<std::int64_t>{8, 50, 5}));
  EXPECT_TRUE(first.xc.equal(later.xc));
  EXPECT_TRUE(first.yc.equal(later.yc));  // no dropout for this model
  // delta .4963 .7682 .0885 .1320 .3074 .6341 .4901 .8964: the first is outside where a reward is 50.
  const torch::Tensor outside = (torch::cat({first.yc, first.yt}, 1) > 25).any(-1);
  const torch::Tensor radius = torch::cat({first.xc, first.xt}, 1).norm(2, -1);
  const double deltas[] = {.4963, .7682, .0885, .1320, .3074, .6341, .4901, .8964};
  for (int problem = 0; problem < 8; ++problem) {
    EXPECT_GE(radius[problem].masked_select(outside[problem]).min().item<double>(), deltas[problem] - 1e-4);
    EXPECT_LE(radius[problem].masked_select(outside[problem].logical_not()).max().item<double>(),
              deltas[problem] + 1e-4);
  }
}

TEST(WheelTask, DropsRewardsOfTransformersContexts) {
  const auto task = make_task(wheel_settings({{"model", "lbanp"}}));
  const auto known = make_task(wheel_settings({{"model", "lbanp"}, {"drop_y", 0}}));
  const Batch first = task->training_batch(0, 0), second = task->training_batch(0, 1),
              whole = known->training_batch(0, 0);
  EXPECT_FALSE(first.yc.equal(second.yc));  // anew in every step
  EXPECT_NEAR((first.yc == whole.yc).to(torch::kFloat64).mean().item<double>(), 0.5, 0.02);
  EXPECT_TRUE(first.yt.equal(whole.yt));
  EXPECT_TRUE(first.yc_without_noise.equal(whole.yc));
  EXPECT_FALSE(whole.yc_without_noise.defined());
  const Batch more = with_context_as_targets(first);  // which are not to learn noise
  EXPECT_TRUE(more.yc.equal(first.yc));
  EXPECT_TRUE(more.yt.equal(torch::cat({whole.yc, whole.yt}, 1)));
}

TEST(WheelTask, PaperTextDrawsNewProblems) {
  const auto task = make_task(wheel_settings({{"model", "cnp"}, {"variant", "paper-text"}}));
  EXPECT_FALSE(task->training_batch(0, 0).xc.equal(task->training_batch(0, 1).xc));
  double inside = 0;
  for (std::uint64_t step = 0; step < 40; ++step) {
    inside += (task->training_batch(0, step).yt < 25).all(-1).to(torch::kFloat64).mean().item<double>() / 40;
  }
  EXPECT_NEAR(inside, 1.0 / 3, 0.06);  // the mean of delta^2
}

TEST(WheelTask, OfChosenRewardsNothingIsMissing) {
  const Settings settings = wheel_settings({{"rewards", "chosen"}, {"variant", "rim"}, {"max_points", 64}});
  EXPECT_EQ(settings.config.dim_x, 7);
  EXPECT_EQ(settings.config.dim_y, 1);
  const auto task = make_task(settings);
  std::int64_t least = 1000, most = 0;
  for (std::uint64_t step = 0; step < 100; ++step) {
    const Batch batch = task->training_batch(1, step);
    least = std::min(least, batch.xc.size(1));
    most = std::max(most, batch.xc.size(1));
    EXPECT_EQ(batch.xt.size(1), 5 * 24);
    EXPECT_LT(batch.yt.max().item<double>(), 3.92);                            // log 50
    EXPECT_TRUE((batch.xc.narrow(-1, 2, 5).sum(-1) == 1).all().item<bool>());  // one arm
    EXPECT_TRUE((batch.xc.narrow(-1, 0, 2).norm(2, -1) < 1 + 1e-6).all().item<bool>()) << step;
  }
  EXPECT_EQ(least, 0);
  EXPECT_GT(most, 40);
  EXPECT_LE(most, 64);
  // Others need a round to begin with.
  const auto of_tnp = make_task(wheel_settings({{"model", "tnpd"}, {"rewards", "chosen"}, {"max_points", 8}}));
  for (std::uint64_t step = 0; step < 50; ++step) EXPECT_GE(of_tnp->training_batch(1, step).xc.size(1), 1);
}

TEST(WheelHistory, PaysWhatTheWheelPays) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    bandit::NumpyRandom random(seed);
    WheelHistory history(0.8, random);
    for (int i = 0; i < 100; ++i) history.play();
    for (int i = 0; i < 10; ++i) history.ask();
    EXPECT_EQ(history.asked().size(), 50U);
    for (const auto* points : {&history.played(), &history.asked()}) {
      for (const WheelPoint& point : *points) {
        const bool large = bandit::radius(point.context) >= 0.8 && point.arm == bandit::quadrant_arm(point.context);
        EXPECT_NEAR(point.reward, large ? 50 : point.arm == 0 ? 1.2 : 1, 0.3);
      }
    }
  }
}

TEST(WheelTask, WhatMakesNoSenseIsRefused) {
  const auto message = [](const Json& more) { return error_message([&] { wheel_settings(more); }); };
  EXPECT_EQ(message({{"batch", 4}}), "batch is 4; variant paper-code has 8 fixed problems");
  EXPECT_EQ(message({{"rewards", "chosen"}, {"variant", "paper-code"}}),
            "rewards chosen draws every game anew: use variant paper-text or rim");
  EXPECT_NE(message({{"drop_y", 2}}).find("drop_y must be from 0 to 1"), std::string::npos);
  EXPECT_NE(message({{"dim_y", 3}}).find("task wheel has dim_x 2 and dim_y 5"), std::string::npos);
  EXPECT_NE(error_message([] { parse_settings(Json{{"variant", "rim"}}, ""); }).find("rim"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::training

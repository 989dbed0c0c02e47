// Windows that are sums of two stay tasks: context and targets of one function, in units of the context.
#include "training/tasks/blend_windows.hpp"

#include <gtest/gtest.h>

namespace cmanp::training {
namespace {

// Targets are context points, seen once more.
Batch draw_batch(std::int64_t tasks) {
  torch::manual_seed(3);
  const torch::Tensor x = torch::arange(40).to(torch::kFloat).reshape({1, 40, 1}).expand({tasks, 40, 1}).contiguous();
  const torch::Tensor y = torch::randn({tasks, 40, 1});
  return {x, y, x.narrow(1, 10, 5).contiguous(), y.narrow(1, 10, 5).contiguous()};
}

Batch blended(const Batch& batch, double share) {
  Batch copy{batch.xc.clone(), batch.yc.clone(), batch.xt.clone(), batch.yt.clone()};
  Random random(1, Stream::training, 0);
  blend_windows(copy, share, false, random);
  return copy;
}

TEST(BlendWindows, ASumIsOneFunctionInItsOwnUnits) {
  const Batch before = draw_batch(4), after = blended(before, 1);
  EXPECT_TRUE(after.yt.allclose(after.yc.narrow(1, 10, 5), 0, 1e-5));
  EXPECT_LT(after.yc.mean(1).abs().max().item<double>(), 1e-5);
  EXPECT_TRUE(after.yc.std(1, false).allclose(torch::ones({4, 1}), 0, 1e-4));
  for (std::int64_t i = 0; i < 4; ++i) {
    // Of its own window, the next one as it was before, and a constant, with nothing left over.
    const torch::Tensor parts = torch::cat({before.yc[i], before.yc[(i + 1) % 4], torch::ones({40, 1})}, 1);
    const torch::Tensor weights = std::get<0>(torch::linalg_lstsq(parts, after.yc[i]));
    EXPECT_TRUE(parts.matmul(weights).allclose(after.yc[i], 0, 1e-4)) << i;
    EXPECT_GT(weights[0].item<double>(), 0) << "its own part is never turned over";
    EXPECT_GT(weights[1].abs().item<double>(), 1e-3) << "the other has a part";
    EXPECT_LT(weights[1].abs().item<double>(), weights[0].item<double>()) << "and the smaller one";
  }
}

TEST(BlendWindows, OnlyAShareIsBlended) {
  const Batch before = draw_batch(400), after = blended(before, 0.25);
  const double changed = (before.yc != after.yc).flatten(1).any(1).to(torch::kDouble).mean().item<double>();
  EXPECT_NEAR(changed, 0.25, 0.08);
  EXPECT_TRUE(torch::equal(blended(before, 0).yc, before.yc));
}

TEST(BlendWindows, PointsThatDoNotLieAlikeStayApart) {
  Batch before = draw_batch(3);
  before.xc[1] += 0.5;  // neither the one before it nor the one behind it has these
  const Batch after = blended(before, 1);
  EXPECT_TRUE(torch::equal(before.yc[0], after.yc[0]));
  EXPECT_TRUE(torch::equal(before.yc[1], after.yc[1]));
  EXPECT_FALSE(torch::equal(before.yc[2], after.yc[2]));
  const Batch alone = draw_batch(1);
  EXPECT_TRUE(torch::equal(blended(alone, 1).yc, alone.yc));
}

}  // namespace
}  // namespace cmanp::training

// Threads: the same bits whatever their number, and many contexts on one model at once. Also run under the thread
// sanitizer.
#include <gtest/gtest.h>

#include <thread>

#include "base/workers.hpp"
#include "runtime/engine.hpp"
#include "runtime/small_model.hpp"

namespace cmanp::testing {
namespace {

TEST(ThreadTest, EveryNumberOfThreadsGivesTheSameBits) {
  const Model model = small_model("own_widths");
  const Points points = points_for(model, 2000);
  Context one(model, {1, 5});
  observe(one, points);
  const auto& expected = runtime::Access::engine(one).states();
  const std::vector<double> x = points_for(model, 300, 8).x;
  const Diagonal answers = predict(one, x);
  for (const std::size_t threads : {2u, 3u, 5u}) {
    Context many(model, {threads, 5});
    observe(many, part(model, points, 0, 77));
    observe(many, part(model, points, 77, 2000));
    const Diagonal same = predict(many, x);
    for (std::size_t b = 0; b < expected.size(); ++b) {
      const auto& state = runtime::Access::engine(many).states()[b];
      for (std::size_t i = 0; i < state.sum.size(); ++i) ASSERT_EQ(state.sum[i], expected[b].sum[i]);
      for (std::size_t i = 0; i < state.weighted.size(); ++i) ASSERT_EQ(state.weighted[i], expected[b].weighted[i]);
    }
    EXPECT_EQ(same.mean, answers.mean);
    EXPECT_EQ(same.std, answers.std);
  }
}

// Large enough for threads to share a refresh: rows of the block's own latents, and of fewer input latents.
class RefreshThreadTest : public ::testing::TestWithParam<Coordinates> {
 protected:
  static Model large_model() {
    Config config;
    config.num_layers = 2;
    config.coordinates = GetParam();
    config.num_latents = 100;
    config.spacing = 0.03;
    return runtime::make_model(runtime::random_model(config, 3));
  }
};

TEST_P(RefreshThreadTest, ARefreshGivesTheSameBitsOnAnyNumberOfThreads) {
  const Model model = large_model();
  const Points points = points_for(model, 200);
  const std::vector<double> x = points_for(model, 300, 8).x;
  std::vector<Diagonal> answers;
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    Context context(model, {threads, 5});
    observe(context, part(model, points, 0, 150));
    predict(context, x);
    observe(context, part(model, points, 150, 200));  // a second refresh, over what the first one left
    answers.push_back(predict(context, x));
    EXPECT_EQ(answers.back().mean, answers.front().mean) << threads;
    EXPECT_EQ(answers.back().std, answers.front().std) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Coordinates, RefreshThreadTest,
                         ::testing::Values(Coordinates::absolute, Coordinates::relative), [](const auto& instance) {
                           return instance.param == Coordinates::relative ? "relative" : "absolute";
                         });

TEST(ThreadTest, ManyContextsShareOneModel) {
  const Model model = small_model("cholesky");
  const Points points = points_for(model, 400);
  const std::vector<double> x = points_for(model, 30, 8).x;
  Context alone(model);
  observe(alone, points);
  const Diagonal expected = predict(alone, x);
  std::vector<Diagonal> answers(4);
  std::vector<std::thread> threads;
  for (Diagonal& answer : answers) {
    threads.emplace_back([&] {
      Context context(model, {2, 5});
      observe(context, points);
      answer = predict(context, x);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const Diagonal& answer : answers) {
    EXPECT_EQ(answer.mean, expected.mean);
    EXPECT_EQ(answer.std, expected.std);
  }
}

TEST(ThreadTest, DrawsAreTheSameOnAnyNumberOfThreads) {
  const Model model = small_model("cholesky");
  const std::vector<double> x = points_for(model, 7, 8).x;
  std::vector<std::vector<double>> draws;
  for (const std::size_t threads : {1u, 3u}) {
    Context context(model, {threads, 5});
    observe(context, points_for(model, 30));
    draws.emplace_back(5 * 7 * model.config().dim_y);
    sample(context, x, draws.back(), {5, 2, 42});
  }
  EXPECT_EQ(draws[0], draws[1]);
}

TEST(ThreadTest, WorkersDoEachTaskOnce) {
  for (const std::size_t threads : {1u, 2u, 7u}) {
    base::Workers workers(threads);
    std::vector<int> done(threads, 0);
    for (int round = 0; round < 200; ++round) workers.run([&](std::size_t worker) { ++done[worker]; });
    EXPECT_EQ(done, std::vector<int>(threads, 200));
  }
}

}  // namespace
}  // namespace cmanp::testing

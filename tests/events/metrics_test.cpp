#include "events/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/error_message.hpp"

namespace cmanp::events {
namespace {

ScoredEvent scored(double gap, double mean, double cdf, std::size_t rank = 0) {
  return {gap, -1.0, cdf, mean, -0.5, rank};
}

TEST(EventMetrics, LikelihoodIsPerEventWithSurvival) {
  MetricsSum sum;
  sum.begin_sequence();
  sum.add(scored(1, 1, 0.5));
  sum.add(scored(1, 1, 0.5));
  sum.add_survival(-3);
  const EventMetrics metrics = sum.finish();
  EXPECT_NEAR(metrics.nll_time, (1 + 1 + 3) / 2.0, 1e-12);
  EXPECT_NEAR(metrics.nll_mark, 0.5, 1e-12);
  EXPECT_NEAR(metrics.nll, 3, 1e-12);
}

TEST(EventMetrics, BothKindsOfRmse) {
  MetricsSum sum;
  sum.begin_sequence();  // errors +1, -1: the public code sees none
  sum.add(scored(1, 2, 0.5));
  sum.add(scored(2, 1, 0.5));
  sum.begin_sequence();  // errors +2, +2: the public code sees 4
  sum.add(scored(1, 3, 0.5));
  sum.add(scored(1, 3, 0.5));
  const EventMetrics metrics = sum.finish();
  EXPECT_NEAR(metrics.rmse, std::sqrt((1 + 1 + 4 + 4) / 4.0), 1e-12);
  EXPECT_NEAR(metrics.rmse_public, std::sqrt(16 / 4.0), 1e-12);
  EXPECT_EQ(metrics.sequences, 2);
}

TEST(EventMetrics, AccuracyCountsRanks) {
  MetricsSum sum;
  sum.begin_sequence();
  for (const std::size_t rank : {0, 4, 5, 0}) sum.add(scored(1, 1, 0.5, rank));
  const EventMetrics metrics = sum.finish();
  EXPECT_EQ(metrics.accuracy, 0.5);
  EXPECT_EQ(metrics.top5, 0.75);
}

TEST(EventMetrics, CalibrationOfUniformAndOfConstantValues) {
  MetricsSum even, constant;
  even.begin_sequence();
  constant.begin_sequence();
  constexpr int kCount = 1000;
  for (int i = 0; i < kCount; ++i) {
    even.add(scored(1, 1, (i + 0.5) / kCount));
    constant.add(scored(1, 1, 0.3));
  }
  const EventMetrics uniform = even.finish(), wrong = constant.finish();
  EXPECT_NEAR(uniform.ks, 0.5 / kCount, 1e-9);
  EXPECT_NEAR(uniform.coverage50, 0.5, 2.0 / kCount);
  EXPECT_NEAR(uniform.coverage90, 0.9, 2.0 / kCount);
  EXPECT_NEAR(wrong.ks, 0.7, 1e-9);
  EXPECT_NEAR(wrong.coverage50, 1, 1e-9);
}

TEST(EventMetrics, UnmarkedDataHaveNoAccuracy) {
  MetricsSum sum;
  sum.begin_sequence();
  sum.add(scored(1, INFINITY, 0.5));
  const auto json = to_json(sum.finish(), false);
  EXPECT_TRUE(json["accuracy"].is_null());
  EXPECT_TRUE(json["rmse"].is_null());  // not a number that JSON has
  EXPECT_NE(testing::error_message([] { MetricsSum().finish(); }).find("no event to score"), std::string::npos);
}

TEST(EventMetrics, ALeadIsPairedBySequences) {
  const Sequence a, b, c;
  MetricsSum one, other;
  const auto add = [](MetricsSum& sum, const Sequence& sequence, int events, double log_density) {
    sum.begin_sequence(&sequence);
    for (int i = 0; i < events; ++i) sum.add({1, log_density, 0.5, 1, 0, 0});
  };
  add(one, a, 1, -1);
  add(one, b, 3, -2);
  add(other, b, 3, -2.5);  // in another order, and with a sequence of no events
  add(other, a, 1, -3);
  add(other, c, 0, 0);
  const Lead lead = lead_of(one.finish(), other.finish());
  EXPECT_NEAR(lead.nats, (2 + 1.5) / 4, 1e-12);
  const double off = 2 - 3.5 / 4;  // of the first sequence; of the second as much the other way
  ASSERT_TRUE(lead.error);
  EXPECT_NEAR(*lead.error, std::sqrt(2 * off * off * 2 / 1) / 4, 1e-12);
}

}  // namespace
}  // namespace cmanp::events

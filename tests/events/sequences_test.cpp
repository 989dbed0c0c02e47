#include "events/sequences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "events/time_scale.hpp"
#include "support/error_message.hpp"

namespace cmanp::events {
namespace {

using testing::error_message;

std::vector<Sequence> numbered(std::size_t count) {
  std::vector<Sequence> sequences(count);
  for (std::size_t i = 0; i < count; ++i) sequences[i] = {std::to_string(i), {static_cast<double>(i)}, {}, 0};
  return sequences;
}

TEST(Sequences, SplitsTakeEverySequenceOnce) {
  const Split split = split_by_seed(numbered(50), 0.6, 0.2, 1);
  EXPECT_EQ(split.train.size(), 30);
  EXPECT_EQ(split.validation.size(), 10);
  EXPECT_EQ(split.test.size(), 10);
  std::set<std::string> names;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    for (const Sequence& sequence : *part) names.insert(sequence.name);
  }
  EXPECT_EQ(names.size(), 50);
  const auto first_of = [](std::uint64_t seed) { return split_by_seed(numbered(50), 0.6, 0.2, seed).train[0].name; };
  EXPECT_EQ(first_of(1), first_of(1));
  EXPECT_NE(first_of(1) + first_of(2), first_of(3) + first_of(4));
}

TEST(Sequences, AWindowHoldsItsEvents) {
  const std::vector<Sequence> sequences{{"a", {1, 2}, {}, 0}};
  check_window({0.5, 2.0}, sequences);
  EXPECT_EQ(error_message([&] {
              check_window({1.5, {}}, sequences);
            }),
            "a: the event at 1 lies before the window, which begins at 1.5");
  EXPECT_EQ(error_message([&] {
              check_window({{}, 1.5}, sequences);
            }),
            "a: the event at 2 lies behind the window, which ends at 1.5");
  EXPECT_EQ(error_message([&] { check_window({3.0, 3.0}, {}); }), "a window from 3 to 3 is empty");
}

TEST(Sequences, ClocksBeginWithTheWindowOrTheFirstEvent) {
  const Sequence sequence{"a", {3, 5}, {}, 0};
  const auto own = event_times(sequence, {}), common = event_times(sequence, {1.0, {}});
  EXPECT_EQ(own[0].since_origin, 0);
  EXPECT_FALSE(own[0].has_gap);
  EXPECT_EQ(own[1].since_origin, 2);
  EXPECT_EQ(common[0].since_origin, 2);
  EXPECT_TRUE(common[0].has_gap);
  EXPECT_EQ(common[0].gap, 2);
  EXPECT_EQ(common[1].gap, 2);
  EXPECT_EQ(common[1].earlier, 1);
}

TEST(Sequences, TimeScaleStandardisesLogarithmsOfGaps) {
  const std::vector<Sequence> sequences{{"a", {0, 1, 1, 1 + std::exp(2.0)}, {}, 0}};  // gaps 1, 0, e^2
  const TimeScale scale = fit_time_scale(sequences, {});
  EXPECT_NEAR(scale.log_mean, 1, 1e-12);
  EXPECT_NEAR(scale.log_std, 1, 1e-12);
  EXPECT_NEAR(scale.standardised(1), -1, 1e-12);
  EXPECT_EQ(scale.standardised(0), scale.standardised(1));  // a tie counts as the shortest gap
  EXPECT_NEAR(scale.span, 1 + std::exp(2.0), 1e-12);
  EXPECT_NE(error_message([] { fit_time_scale(numbered(3), {}); }).find("no gap to learn from"), std::string::npos);
  for (const double gap : {1e-310, 1e300}) {
    const std::vector<Sequence> beyond{{"a", {0, gap}, {}, 0}};
    EXPECT_NE(error_message([&] { fit_time_scale(beyond, {}); }).find("another unit of time"), std::string::npos)
        << gap;
  }
}

TEST(Sequences, FeaturesStayFiniteAndSmall) {
  const TimeScale scale{0, 1, 1e-3, 10};
  for (const double time : {0.0, 1e-300, 1.0, 1e12, 1e300, 1.7e308}) {
    std::array<float, kTimeFeatures> features{};
    write_time_features(scale, {time, time, true, 1'000'000'000}, features);
    for (const float value : features) EXPECT_LT(std::abs(value), 200) << time;
  }
}

}  // namespace
}  // namespace cmanp::events

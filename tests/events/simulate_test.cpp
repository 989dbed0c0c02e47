#include "events/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cmanp::events {
namespace {

TEST(Simulation, HasAsManyEventsAsTheProcess) {
  const Cascades process{.rate = 0.5, .jump = 0.6, .decay = 2, .until = 200, .marks = 3, .loyalty = 1};
  double events = 0, early = 0;
  constexpr int kSequences = 300;
  for (std::uint64_t i = 0; i < kSequences; ++i) {
    const Sequence sequence = simulate(process, 4, i);
    EXPECT_TRUE(std::is_sorted(sequence.times.begin(), sequence.times.end()));
    EXPECT_GE(sequence.times.front(), 0);
    EXPECT_LT(sequence.times.back(), process.until);
    ASSERT_EQ(sequence.marks.size(), sequence.times.size());
    events += static_cast<double>(sequence.times.size());
    early += static_cast<double>(
        std::count_if(sequence.times.begin(), sequence.times.end(), [](double t) { return t < 0.02; }));
  }
  // The variance of a stationary count is that of Poisson over (1 - jump)^2. What ends are missing is 1.5 time units'.
  const double mean = process.expected_events(), error = std::sqrt(mean / kSequences) / (1 - process.jump);
  EXPECT_NEAR(events / kSequences, mean, 5 * error + 0.01 * mean);
  EXPECT_NEAR(early, kSequences * 0.02 * process.rate,
              5 * std::sqrt(kSequences * 0.02 * process.rate));  // no parents yet
}

TEST(Simulation, ChildrenAreLikeTheirParents) {
  // With next to no time between, what repeats the last mark is a child, or one in ten by chance.
  Cascades process{.rate = 0.001, .jump = 0.9, .decay = 1e6, .until = 100, .marks = 10, .loyalty = 1};
  const auto repeats = [&] {
    double same = 0, all = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Sequence sequence = simulate(process, 5, i);
      for (std::size_t k = 1; k < sequence.marks.size(); ++k) {
        if (sequence.times[k] - sequence.times[k - 1] > 1e-3) continue;
        same += sequence.marks[k] == sequence.marks[k - 1] ? 1 : 0;
        ++all;
      }
    }
    return same / all;
  };
  EXPECT_EQ(repeats(), 1);
  process.loyalty = 0;
  EXPECT_NEAR(repeats(), 0.1, 0.05);
}

TEST(Simulation, SeedAndNumberDecide) {
  const Cascades process;
  EXPECT_EQ(simulate(process, 1, 7).times, simulate(process, 1, 7).times);
  EXPECT_NE(simulate(process, 1, 7).times, simulate(process, 1, 8).times);
  EXPECT_NE(simulate(process, 1, 7).times, simulate(process, 2, 7).times);
  EXPECT_TRUE(simulate(process, 1, 7).marks.empty());
}

}  // namespace
}  // namespace cmanp::events

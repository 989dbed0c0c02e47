#include "training/events/renewal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "training/events/rivals.hpp"

namespace cmanp::training::events {
namespace {

using cmanp::events::EventMetrics;

// a, b, c, a, b, c, …: a short gap after a, long ones after the others, each a little off its mean.
std::vector<Sequence> short_and_long(int count) {
  std::vector<Sequence> sequences;
  for (int s = 0; s < count; ++s) {
    Sequence sequence{std::to_string(s), {}, {}, 0};
    double time = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
      sequence.times.push_back(time);
      sequence.marks.push_back(i % 3);
      time += (i % 3 == 0 ? 1 : 10) * (1 + 0.1 * std::sin(i + 7.0 * s));
    }
    sequences.push_back(sequence);
  }
  return sequences;
}

TEST(RenewalProcesses, GapsAreALogNormal) {
  // Logarithms of gaps 0 and 2: their mean is 1, as is their deviation; once more as they all are.
  const std::vector<Sequence> training{{"a", {0, 1, 1 + std::exp(2)}, {}, 0}};
  const std::vector<Sequence> test{{"b", {0, std::exp(1)}, {}, 0}};
  for (const Renewal kind : {Renewal::plain, Renewal::markov}) {
    const EventMetrics metrics = evaluate_renewal(kind, training, 0, test, {});
    EXPECT_NEAR(metrics.nll, 0.5 * std::log(2 * M_PI) + 1, 1e-12);
    EXPECT_NEAR(metrics.by_sequence[0].nll, metrics.nll, 1e-12);
  }
  // A window adds the time before the first event and after the last.
  const Window window{0.0, std::exp(1)};
  EXPECT_NEAR(
      evaluate_renewal(Renewal::plain, {{"a", {1, 1 + std::exp(2)}, {}, 0}}, 0, {{"b", {1}, {}, 0}}, window).nll_time,
      0.5 * std::log(2 * M_PI) + 0.5 - std::log(0.5 * std::erfc((std::log(std::exp(1) - 1) - 1) / std::sqrt(2))),
      1e-12);
}

TEST(RenewalProcesses, TheLastMarkComesAgainAsOftenAsInTraining) {
  const std::vector<Sequence> training{{"a", {0, 1, 2, 4, 5}, {0, 0, 0, 0, 1}, 0}};  // three of four repeat
  const std::vector<Sequence> test{{"b", {0, 1}, {1, 1}, 0}, {"c", {0, 1}, {1, 2}, 0}};
  const EventMetrics metrics = evaluate_renewal(Renewal::plain, training, 3, test, {});
  const double again = 4.0 / 6;                                  // each once more
  const double third = (1 - again) * (1.0 / 8) / (1 - 2.0 / 8);  // not the last one, but of the others
  EXPECT_NEAR(metrics.nll_mark, -(std::log(again) + std::log(third)) / 2, 1e-12);
  EXPECT_EQ(metrics.accuracy, 0.5);
  EXPECT_EQ(metrics.top5, 1);
}

TEST(RenewalProcesses, AMarkovOneKnowsWhatComesAfterWhat) {
  const std::vector<Sequence> training = short_and_long(20), test = short_and_long(5);
  const EventMetrics plain = evaluate_renewal(Renewal::plain, training, 3, test, {});
  const EventMetrics markov = evaluate_renewal(Renewal::markov, training, 3, test, {});
  EXPECT_EQ(markov.accuracy, 1);
  EXPECT_LT(markov.nll_mark, 0.01);
  EXPECT_LT(markov.rmse, 1);
  EXPECT_LT(markov.nll_time + 1, plain.nll_time);
  EXPECT_LT(plain.accuracy, 0.7);
}

TEST(RenewalProcesses, EqualGapsHaveBounds) {
  const std::vector<Sequence> beats{{"a", {0, 1, 2, 3}, {}, 0}};
  EXPECT_TRUE(std::isfinite(evaluate_renewal(Renewal::plain, beats, 0, beats, {}).nll));
}

TEST(Rivals, AModelIsPutBesideTheBestOfThem) {
  EventParts parts;
  parts.train = short_and_long(20);
  parts.test = short_and_long(5);
  parts.mark_names = {"a", "b", "c"};
  const std::vector<Rival> rivals = simple_rivals(parts, parts.test, {});
  ASSERT_EQ(rivals.size(), 3U);
  const auto sentences = verdict("mine", rivals[0].metrics, true, rivals);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_TRUE(sentences[0].starts_with("mine is behind the best simple rival, markov: ")) << sentences[0];
  EXPECT_TRUE(sentences[0].ends_with(" nats an event worse")) << sentences[0];
  EXPECT_TRUE(sentences[1].ends_with(" % of events; markov's, the best there, in 100.0 %")) << sentences[1];
  EXPECT_TRUE(verdict("mine", rivals[2].metrics, true, rivals)[0].starts_with("mine is level with")) << sentences[0];
  const std::vector<Rival> worse(rivals.begin(), rivals.end() - 1);
  EXPECT_TRUE(verdict("mine", rivals[2].metrics, true, worse)[0].starts_with("mine is ahead of")) << sentences[0];
  parts.mark_names.clear();  // kinds that are not told apart
  for (Sequence& sequence : parts.train) sequence.marks.clear();
  for (Sequence& sequence : parts.test) sequence.marks.clear();
  EXPECT_EQ(simple_rivals(parts, parts.test, {}).size(), 2U);
}

}  // namespace
}  // namespace cmanp::training::events

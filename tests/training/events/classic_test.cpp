#include "training/events/classic.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "training/tasks/random.hpp"

namespace cmanp::training::events {
namespace {

const HawkesProcess kTwoKernels{0.3, {{0.4, 1.0}, {0.3, 7.0}}};

double intensity(const HawkesProcess& process, const std::vector<double>& times, double at) {
  double sum = process.rate;
  for (const double time : times) {
    if (time >= at) break;
    for (const auto& kernel : process.kernels)
      sum += kernel.jump * kernel.decay * std::exp(-kernel.decay * (at - time));
  }
  return sum;
}

// By Ogata's thinning.
std::vector<Sequence> simulate(const HawkesProcess& process, double end, int count) {
  std::vector<Sequence> sequences;
  for (int s = 0; s < count; ++s) {
    Random random(1, Stream::training, static_cast<std::uint64_t>(s));
    Sequence sequence{std::to_string(s), {}, {}, 0};
    double time = 0;
    while (true) {
      const double bound = intensity(process, sequence.times, std::nextafter(time, 1e9));
      time -= std::log(1 - random.uniform()) / bound;
      if (time > end) break;
      if (random.uniform() * bound < intensity(process, sequence.times, time)) sequence.times.push_back(time);
    }
    if (!sequence.times.empty()) sequences.push_back(sequence);
  }
  return sequences;
}

TEST(ClassicProcesses, LikelihoodIsTheDefinitions) {
  const std::vector<double> times{0.5, 0.7, 2.0, 2.0, 3.1};
  double expected = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double sum = kTwoKernels.rate;
    for (std::size_t j = 0; j < i; ++j) {
      for (const auto& kernel : kTwoKernels.kernels) {
        sum += kernel.jump * kernel.decay * std::exp(-kernel.decay * (times[i] - times[j]));
      }
    }
    expected += std::log(sum);
  }
  const double end = 4;
  expected -= kTwoKernels.rate * end;
  for (const double time : times) {
    for (const auto& kernel : kTwoKernels.kernels)
      expected -= kernel.jump * (1 - std::exp(-kernel.decay * (end - time)));
  }
  const std::vector<Sequence> sequences{{"a", times, {}, 0}};
  EXPECT_NEAR(log_likelihood(kTwoKernels, sequences, {0.0, end}), expected, 1e-12);
  const auto metrics = evaluate(kTwoKernels, {}, sequences, {0.0, end});
  EXPECT_NEAR(metrics.nll, -expected / 5, 1e-12);
}

TEST(ClassicProcesses, PoissonIsEventsPerTime) {
  const std::vector<Sequence> sequences{{"a", {1, 2, 4}, {}, 0}, {"b", {5}, {}, 0}};
  EXPECT_NEAR(fit_poisson(sequences, {0.0, 10.0}).rate, 4 / 20.0, 1e-12);
  EXPECT_NEAR(fit_poisson(sequences, {}).rate, 2 / 3.0, 1e-12);  // two gaps in three units
  const auto metrics = evaluate(HawkesProcess{0.5, {}}, {}, sequences, {0.0, 10.0});
  EXPECT_NEAR(metrics.nll, -std::log(0.5) + 0.5 * 20 / 4, 1e-12);
}

TEST(ClassicProcesses, AHawkesProcessIsFoundAgain) {
  const HawkesProcess truth{0.2, {{0.8, 1.0}}};
  const Window window{0.0, 100.0};
  const std::vector<Sequence> sequences = simulate(truth, 100, 60);
  const HawkesProcess found = fit_hawkes(sequences, window);
  EXPECT_NEAR(found.rate, 0.2, 0.04);
  EXPECT_NEAR(found.kernels[0].jump, 0.8, 0.08);
  EXPECT_NEAR(found.kernels[0].decay, 1.0, 0.15);
  EXPECT_GE(log_likelihood(found, sequences, window), log_likelihood(truth, sequences, window));
  EXPECT_GT(log_likelihood(found, sequences, window),
            log_likelihood(fit_poisson(sequences, window), sequences, window));
  const auto metrics = evaluate(truth, {}, sequences, window);  // calibrated, as it is the truth
  EXPECT_LT(metrics.ks, 2.5 / std::sqrt(static_cast<double>(metrics.events)));
  EXPECT_NEAR(metrics.coverage90, 0.9, 0.02);
}

TEST(ClassicProcesses, TheMeanGapIsTheIntegralOfSurvival) {
  const std::vector<Sequence> sequences{{"a", {1, 1.2}, {}, 0}};
  const auto metrics = evaluate(HawkesProcess{0.5, {}}, {}, sequences, {});
  EXPECT_NEAR(metrics.rmse, 2 - 0.2, 1e-4);  // an exponential's mean is 1 / rate
}

TEST(ClassicProcesses, MarksArePredictedByTheirCounts) {
  const std::vector<Sequence> train{{"a", {1, 2, 3}, {0, 1, 1}, 0}};
  const std::vector<double> counts = count_marks(train, 3);
  EXPECT_EQ(counts, (std::vector<double>{2, 3, 1}));
  const auto metrics = evaluate(HawkesProcess{1, {}}, counts, train, {});
  EXPECT_NEAR(metrics.nll_mark, -std::log(3 / 6.0), 1e-12);
  EXPECT_EQ(metrics.accuracy, 1);
}

}  // namespace
}  // namespace cmanp::training::events

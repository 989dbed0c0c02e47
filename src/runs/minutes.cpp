#include "runs/minutes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace cmanp::runs {

double median_seconds(const std::function<void()>& round, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<double> rounds;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    round();
    rounds.push_back(since(start));
  } while (since(begin) < seconds);
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end());
  return *middle;
}

double seconds_a_step(Problem& problem, double seconds) {
  constexpr std::int64_t kRound = 8;  // batches differ in size
  std::int64_t step = 0;
  const auto round = [&] {
    for (std::int64_t k = 0; k < kRound; ++k) problem.take_step(step++);
  };
  problem.begin();
  round();  // warms up
  return median_seconds(round, seconds) / static_cast<double>(kRound);
}

std::int64_t steps_within(double minutes, Problem& problem, std::int64_t warmup,
                          const std::function<void(const std::string&)>& note) {
  const double seconds = seconds_a_step(problem, std::min(20.0, minutes));
  const std::int64_t steps = std::max(warmup + 1, static_cast<std::int64_t>(60 * minutes / seconds));
  note(fmt::format("{:.3g} steps a second: {} steps in {} minutes", 1 / seconds, steps, minutes));
  return steps;
}

}  // namespace cmanp::runs

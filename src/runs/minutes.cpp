#include "runs/minutes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/seconds.hpp"

namespace cmanp::runs {

double median_seconds(const std::function<void()>& round, double seconds, double (*now)()) {
  std::vector<double> rounds;
  const double begin = now();
  do {
    const double start = now();
    round();
    rounds.push_back(now() - start);
  } while (now() - begin < seconds);
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
  // By this thread's share of the processor: other programs beside it make a run later, not shorter.
  return median_seconds(round, seconds, base::seconds_of_thread) / static_cast<double>(kRound);
}

std::int64_t steps_within(double minutes, Problem& problem, std::int64_t warmup,
                          const std::function<void(const std::string&)>& note) {
  const double seconds = seconds_a_step(problem, std::min(20.0, minutes));
  const std::int64_t steps = std::max(warmup + 1, static_cast<std::int64_t>(60 * minutes / seconds));
  note(fmt::format("{:.3g} steps a second: {} steps in {} minutes", 1 / seconds, steps, minutes));
  return steps;
}

}  // namespace cmanp::runs

#include "cli_train/step_timing.hpp"

#include <algorithm>
#include <chrono>

#include "training/tasks/task.hpp"

namespace cmanp::cli_train {

std::vector<training::Batch> some_batches(const training::Settings& settings) {
  constexpr std::uint64_t kBatches = 8;
  const auto task = training::make_task(settings);
  std::vector<training::Batch> batches;
  for (std::uint64_t k = 0; k < kBatches; ++k) {
    batches.push_back(task->training_batch(static_cast<std::uint64_t>(settings.seed), k));
  }
  return batches;
}

void take_steps(training::TrainingStep& step, const std::vector<training::Batch>& batches) {
  for (std::size_t k = 0; k < batches.size(); ++k) step(batches[k], static_cast<std::int64_t>(k));
}

double time_steps(training::TrainingStep& step, const std::vector<training::Batch>& batches, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> rounds;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    take_steps(step, batches);
    rounds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
  std::nth_element(rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2), rounds.end());
  return rounds[rounds.size() / 2] / static_cast<double>(batches.size());
}

}  // namespace cmanp::cli_train

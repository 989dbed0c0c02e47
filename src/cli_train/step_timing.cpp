#include "cli_train/step_timing.hpp"

#include "base/seconds.hpp"
#include "runs/minutes.hpp"
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
  return runs::median_seconds([&] { take_steps(step, batches); }, seconds, base::seconds_on_the_wall) /
         static_cast<double>(batches.size());
}

}  // namespace cmanp::cli_train

#include "training/trainer/fresh_model.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "training/export.hpp"
#include "training/inducing_start.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/tasks/task.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::training {

std::shared_ptr<NeuralProcess> fresh_model(const Settings& settings) {
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  std::shared_ptr<NeuralProcess> model = make_model(settings.model, settings.config, seed);
  if (settings.init == "inducing") {
    const std::shared_ptr<const Task> task = make_task(settings);
    const Range range = task->range();
    start_as_inducing_points(*model, seed,
                             {settings.init_gain, settings.init_sharpness, range.low, range.high, task->places()});
  }
  task_kinds().at(settings.task).start(*model, settings);
  return model;
}

std::int64_t take_weights(NeuralProcess& model, const std::filesystem::path& from) {
  const torch::NoGradGuard no_grad;
  const std::shared_ptr<NeuralProcess> other =
      std::filesystem::is_directory(from) ? load_run(from, /*averaged=*/true).model : open_model(from).model;
  const auto theirs = other->named_parameters();
  std::int64_t taken = 0;
  for (const auto& parameter : model.named_parameters()) {
    const torch::Tensor* same = theirs.find(parameter.key());
    if (same == nullptr || same->sizes() != parameter.value().sizes()) continue;
    parameter.value().copy_(*same);
    taken += parameter.value().numel();
  }
  if (taken == 0) throw Error(fmt::format("{}: has no weights of the names and shapes of this model", from.string()));
  return taken;
}

}  // namespace cmanp::training

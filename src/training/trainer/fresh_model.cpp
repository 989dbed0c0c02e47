#include "training/trainer/fresh_model.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>

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

namespace {

// Of two models in relative coordinates: how much longer a unit of x is for the other, by the spacings of their grids.
// In other units of x the same model has other lengths and frequencies, and nothing else.
double longer_unit(const ModelConfig& own, const ModelConfig& other) {
  const bool both = own.coordinates == Coordinates::relative && other.coordinates == Coordinates::relative;
  return both ? own.spacing / other.spacing : 1;
}

}  // namespace

std::int64_t take_weights(NeuralProcess& model, const std::filesystem::path& from) {
  const torch::NoGradGuard no_grad;
  const std::shared_ptr<NeuralProcess> other =
      std::filesystem::is_directory(from) ? load_run(from, /*averaged=*/true).model : open_model(from).model;
  const double log_unit = std::log(longer_unit(model.config(), other->config()));
  const auto theirs = other->named_parameters();
  std::int64_t taken = 0;
  for (const auto& parameter : model.named_parameters()) {
    const torch::Tensor* same = theirs.find(parameter.key());
    if (same == nullptr || same->sizes() != parameter.value().sizes()) continue;
    parameter.value().copy_(*same);
    if (parameter.key().ends_with("log_gamma")) parameter.value().sub_(2 * log_unit);
    if (parameter.key().ends_with("log_omega")) parameter.value().sub_(log_unit);
    taken += parameter.value().numel();
  }
  if (taken == 0) throw Error(fmt::format("{}: has no weights of the names and shapes of this model", from.string()));
  return taken;
}

}  // namespace cmanp::training

// The kinds of tasks: a line each.
#include <algorithm>

#include "training/export.hpp"
#include "training/kinds/kinds.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

Registry<TaskKind>& task_kinds() {
  static Registry<TaskKind> kinds("task", {
                                              gp_kind(),
                                              signals_kind(),
                                              wheel_kind(),
                                              image_kind("emnist", 1, 28),
                                              image_kind("celeba", 3, 32),
                                              image_kind("image", 0, 0),
                                              generator_kind(),
                                              table_kind(),
                                          });
  return kinds;
}

bool TaskKind::has_key(const std::string& key) const {
  return std::any_of(keys.described.begin(), keys.described.end(), [&](const auto& own) { return own.name == key; });
}

std::vector<std::string> kinds_with_key(const std::string& key) {
  std::vector<std::string> names;
  for (const TaskKind& kind : task_kinds()) {
    if (kind.has_key(key)) names.push_back(kind.name);
  }
  return names;
}

Normalisation units_of(const Settings& settings) {
  const TaskKind& kind = task_kinds().at(settings.task);
  return kind.units ? kind.units(settings) : Normalisation::identity(shape_of(settings.config));
}

std::shared_ptr<const Task> make_task(const Settings& settings) {
  return task_kinds().at(settings.task).make(settings);
}

}  // namespace cmanp::training

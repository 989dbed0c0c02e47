#include "cli_train/table_model.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>

#include "cli_train/remembered_settings.hpp"
#include "training/export.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::cli_train {
namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& task) {
  throw Error(
      fmt::format("{}: was trained on {}, not on a table (cmanp train --task table), and does not work in frames, as "
                  "universal does",
                  place, task.empty() ? "something it does not say" : "task " + task));
}

}  // namespace

TableModel load_table_model(const std::string& place, bool last_weights) {
  if (std::filesystem::is_directory(place)) {
    const training::TrainedModel run = training::load_run(place, !last_weights);
    if (run.settings.task != "table") refuse(place, run.settings.task);
    return {run.model, training::table_keys_of(run.settings), run.settings.model, run.step};
  }
  const training::LoadedModel loaded = training::open_model(place);
  const nlohmann::ordered_json remembered = remembered_settings(place);
  const std::string task = remembered.value("task", "");
  if (task != "table") refuse(place, task);
  const training::Settings settings = training::parse_settings(remembered, place);
  return {loaded.model, training::table_keys_of(settings), loaded.model->model_name()};
}

}  // namespace cmanp::cli_train

#include "cli_train/table_model.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>
#include <optional>

#include "base/finite.hpp"
#include "cli/messages.hpp"
#include "cli_train/remembered_settings.hpp"
#include "files/atomic_file.hpp"
#include "files/json.hpp"
#include "measures/calibration.hpp"
#include "training/evaluation/window_predictor.hpp"
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

constexpr const char* kBands = "band_scales";

std::optional<measures::BandScales> parse_bands(const nlohmann::ordered_json& document) {
  if (!document.is_object() || !document.contains(kBands)) return std::nullopt;
  const nlohmann::ordered_json& found = document[kBands];
  measures::BandScales scales{};
  if (!found.is_array() || found.size() != scales.size()) return std::nullopt;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!found[i].is_number() || !base::positive(found[i].get<double>())) return std::nullopt;
    scales[i] = found[i].get<double>();
  }
  return scales;
}

measures::BandScales bands_by_validation(const TableModel& table) {
  const data::Windows all(training::read_series(table.keys), training::plan_of(table.keys));
  const std::vector<data::Window> windows = all.all(data::Part::validation);
  const auto answers = training::predict_windows(*table.model, windows, training::table_units(table.keys));
  std::vector<double> z;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (std::size_t i = 0; i < windows[w].targets.size(); ++i) {
      z.push_back((windows[w].series->values[windows[w].targets[i]] - answers[w].mean[i]) / answers[w].std[i]);
    }
  }
  return measures::bands_by(z);
}

// Of these weights, out of the run's folder or found now. Data that are gone by now, or a folder that nobody can write
// into, are no hindrance to a forecast.
measures::BandScales bands_of_run(const std::string& run, const TableModel& table) {
  const std::filesystem::path file = std::filesystem::path(run) / "bands.json";
  if (std::filesystem::exists(file)) {
    const nlohmann::ordered_json document = files::read_json(file);
    const auto scales = parse_bands(document);
    if (scales && document.contains("step") && document["step"] == table.step) return *scales;
  }
  measures::BandScales scales = measures::kPlainBands;
  try {
    scales = bands_by_validation(table);
    files::write_file(file, nlohmann::ordered_json{{"step", table.step}, {kBands, scales}}.dump() + "\n");
  } catch (const Error& error) {
    cli::warn(fmt::format("{}; the widths of its bands are not kept", error.what()));
  }
  return scales;
}

}  // namespace

TableModel load_table_model(const std::string& place, bool last_weights) {
  if (std::filesystem::is_directory(place)) {
    const training::TrainedModel run = training::load_run(place, !last_weights);
    if (run.settings.task != "table") refuse(place, run.settings.task);
    TableModel table{run.model, training::table_keys_of(run.settings), run.settings.model, run.step};
    if (!last_weights) table.band_scales = bands_of_run(place, table);
    return table;
  }
  const training::LoadedModel loaded = training::open_model(place);
  const nlohmann::ordered_json remembered = remembered_settings(place);
  const std::string task = remembered.value("task", "");
  if (task != "table") refuse(place, task);
  const training::Settings settings = training::parse_settings(remembered, place);
  TableModel table{loaded.model, training::table_keys_of(settings), loaded.model->model_name()};
  table.band_scales = parse_bands(remembered_provenance(place)).value_or(measures::kPlainBands);
  return table;
}

std::vector<forecasts::Forecast> TableModel::answer(const std::vector<data::Window>& windows,
                                                    const training::TableUnits& units,
                                                    const forecasts::Progress& progress) const {
  std::vector<forecasts::Forecast> answers = training::predict_windows(*model, windows, units, progress);
  for (forecasts::Forecast& one : answers) one.band_scales = band_scales;
  return answers;
}

nlohmann::ordered_json bands_to_travel(const std::string& run) { return load_table_model(run).band_scales; }

}  // namespace cmanp::cli_train

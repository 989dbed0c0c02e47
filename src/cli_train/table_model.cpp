#include "cli_train/table_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <optional>

#include "base/finite.hpp"
#include "cli/messages.hpp"
#include "cli_train/remembered_settings.hpp"
#include "files/atomic_file.hpp"
#include "files/json.hpp"
#include "files/utf8.hpp"
#include "forecasts/mixture.hpp"
#include "measures/series_widths.hpp"
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

constexpr const char *kBands = "band_scales", *kOfSeries = "series_scales";
constexpr std::size_t kMostSeries = 20000;  // with a factor each: they travel in the header of a file

// A factor, or nothing of what is no such.
std::optional<double> parse_factor(const nlohmann::ordered_json& value) {
  if (!value.is_number() || !base::positive(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

// As `write_widths` has them; of files from before there were factors of series, bands alone.
std::optional<TableWidths> parse_widths(const nlohmann::ordered_json& document) {
  if (!document.is_object() || !document.contains(kBands)) return std::nullopt;
  const nlohmann::ordered_json& bands = document[kBands];
  TableWidths widths;
  if (!bands.is_array() || bands.size() != widths.band_scales.size()) return std::nullopt;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const auto factor = parse_factor(bands[i]);
    if (!factor) return std::nullopt;
    widths.band_scales[i] = *factor;
  }
  if (!document.contains(kOfSeries)) return widths;
  if (!document[kOfSeries].is_array()) return std::nullopt;
  for (const nlohmann::ordered_json& entry : document[kOfSeries]) {
    if (!entry.is_array() || entry.size() != 3 || !entry[0].is_string() || !entry[1].is_string()) return std::nullopt;
    const auto factor = parse_factor(entry[2]);
    if (!factor) return std::nullopt;
    widths.of_series[{entry[0].get<std::string>(), entry[1].get<std::string>()}] = *factor;
  }
  return widths;
}

// Into a document that is there.
void write_widths(const TableWidths& widths, nlohmann::ordered_json& document) {
  document[kBands] = widths.band_scales;
  for (const auto& [name, factor] : widths.of_series) {
    document[kOfSeries].push_back(nlohmann::ordered_json::array({name.first, name.second, factor}));
  }
}

TableWidths widths_by_validation(const TableModel& table) {
  const data::Windows all(training::read_series(table.keys), training::plan_of(table.keys));
  const std::vector<data::Window> windows = all.all(data::Part::validation);
  const auto answers = training::predict_windows(*table.model, windows, training::table_units(table.keys));
  const std::vector<data::Series>& series = all.set().series;
  const bool too_many = series.size() > kMostSeries;
  std::vector<measures::WindowErrors> errors;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    // Of too many, each window is as of another series: none has a factor of its own.
    measures::WindowErrors& own = errors.emplace_back();
    own.series = too_many ? w : static_cast<std::size_t>(windows[w].series - series.data());
    for (std::size_t i = 0; i < windows[w].targets.size(); ++i) {
      own.z.push_back((windows[w].series->values[windows[w].targets[i]] - answers[w].mean[i]) / answers[w].std[i]);
    }
  }
  const measures::SeriesWidths found = measures::widths_by(errors, too_many ? windows.size() : series.size());
  TableWidths widths{{}, found.band_scales};
  for (std::size_t s = 0; s < series.size() && !too_many; ++s) {
    const bool can_be_kept = files::is_utf8(series[s].group) && files::is_utf8(series[s].y);
    if (found.of_series[s] != 1 && can_be_kept) widths.of_series[{series[s].y, series[s].group}] = found.of_series[s];
  }
  return widths;
}

// Of these weights, out of the run's folder or found now. Data that are gone by now, or a folder that nobody can write
// into, are no hindrance to a forecast.
TableWidths widths_of_run(const std::string& run, const TableModel& table) {
  const std::filesystem::path file = std::filesystem::path(run) / "bands.json";
  if (std::filesystem::exists(file)) {
    const nlohmann::ordered_json document = files::read_json(file);
    const auto widths = parse_widths(document);
    if (widths && document.contains("step") && document["step"] == table.step) return *widths;
  }
  TableWidths widths;
  try {
    widths = widths_by_validation(table);
    nlohmann::ordered_json document{{"step", table.step}};
    write_widths(widths, document);
    files::write_file(file, document.dump() + "\n");
  } catch (const Error& error) {
    cli::warn(fmt::format("{}; the widths of its bands are not kept", error.what()));
  }
  return widths;
}

// Of what it knows by heart a model is far too sure elsewhere.
void warn_of_learnt_rows(const std::string& place, const TableWidths& widths) {
  constexpr double kFarTooSure = 3;
  const double factor = widths.of_deviations();
  if (factor <= kFarTooSure) return;
  cli::warn(fmt::format(
      "{}: on the validation part its errors are {:.3g} times what it says, so its deviations and bands are "
      "widened by as much: it has learnt its rows by heart; train it with fewer steps (--steps, --minutes) "
      "or on more rows",
      place, factor));
}

// Whether they are asked about the same windows, in the same units, wherever their data lie.
bool have_same_windows(training::TableKeys one, const training::TableKeys& other) {
  one.data = other.data;
  one.part = other.part;
  one.blend = other.blend;
  return one == other;
}

}  // namespace

double TableWidths::of(const data::Series& series) const {
  const auto found = of_series.find({series.y, series.group});
  return found == of_series.end() ? 1 : found->second;
}

double TableWidths::of_deviations() const {
  const auto [least, most] = std::minmax_element(band_scales.begin(), band_scales.end());
  return *least > 1 ? *least : *most < 1 ? *most : 1;
}

TableModel load_table_model(const std::string& place, bool last_weights) {
  if (std::filesystem::is_directory(place)) {
    const training::TrainedModel run = training::load_run(place, !last_weights);
    if (run.settings.task != "table") refuse(place, run.settings.task);
    TableModel table{run.model, training::table_keys_of(run.settings), run.settings.model, run.step, run.last_step};
    if (!last_weights) table.widths = widths_of_run(place, table);
    warn_of_learnt_rows(place, table.widths);
    return table;
  }
  const training::LoadedModel loaded = training::open_model(place);
  const nlohmann::ordered_json remembered = remembered_settings(place);
  const std::string task = remembered.value("task", "");
  if (task != "table") refuse(place, task);
  const training::Settings settings = training::parse_settings(remembered, place);
  TableModel table{loaded.model, training::table_keys_of(settings), loaded.model->model_name()};
  table.widths = parse_widths(remembered_provenance(place)).value_or(TableWidths());
  warn_of_learnt_rows(place, table.widths);
  return table;
}

TableModel load_table_model(const std::string& place, const std::vector<std::string>& others, bool last_weights) {
  TableModel table = load_table_model(place, last_weights);
  for (const std::string& other : others) {
    TableModel one = load_table_model(other, last_weights);
    if (!have_same_windows(one.keys, table.keys)) {
      throw Error(
          fmt::format("--with: {} was trained on other columns, windows, seasons or parts than {}", other, place));
    }
    table.others.push_back(std::move(one));
  }
  return table;
}

std::vector<forecasts::Forecast> TableModel::answer(const std::vector<data::Window>& windows,
                                                    const training::TableUnits& units,
                                                    const forecasts::Progress& progress) const {
  std::vector<std::vector<forecasts::Forecast>> by_window(windows.size());
  const std::size_t models = 1 + others.size();
  for (std::size_t m = 0; m < models; ++m) {
    const auto told = [&](std::size_t done) {
      if (progress) progress((m * windows.size() + done) / models);
    };
    std::vector<forecasts::Forecast> answers = (m == 0 ? *this : others[m - 1]).own_answer(windows, units, told);
    for (std::size_t w = 0; w < windows.size(); ++w) by_window[w].push_back(std::move(answers[w]));
  }
  std::vector<forecasts::Forecast> mixed;
  for (const std::vector<forecasts::Forecast>& answers : by_window) mixed.push_back(forecasts::mixture(answers));
  return mixed;
}

std::vector<forecasts::Forecast> TableModel::own_answer(const std::vector<data::Window>& windows,
                                                        const training::TableUnits& units,
                                                        const forecasts::Progress& progress) const {
  std::vector<forecasts::Forecast> answers = training::predict_windows(*model, windows, units, progress);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const double all = widths.of_deviations(), factor = all * widths.of(*windows[w].series);
    for (std::size_t i = 0; i < widths.band_scales.size(); ++i) {
      answers[w].band_scales[i] = widths.band_scales[i] / all;
    }
    for (double& std : answers[w].std) std *= factor;
  }
  return answers;
}

std::vector<forecasts::Paths> TableModel::draw(const std::vector<data::Window>& windows,
                                               const training::TableUnits& units, std::size_t count,
                                               std::uint64_t seed) const {
  std::vector<forecasts::Paths> paths(windows.size());
  const std::size_t models = 1 + others.size();
  for (std::size_t m = 0; m < models; ++m) {
    const TableModel& one = m == 0 ? *this : others[m - 1];
    if (!one.model->scores_jointly()) forecasts::fail_without_joint_head(one.name);
    const std::size_t share = count * (m + 1) / models - count * m / models;
    if (share == 0) continue;
    const std::vector<forecasts::Paths> drawn = one.own_draws(windows, units, share, seed + m);
    for (std::size_t w = 0; w < windows.size(); ++w) paths[w].insert(paths[w].end(), drawn[w].begin(), drawn[w].end());
  }
  return paths;
}

std::vector<forecasts::Paths> TableModel::own_draws(const std::vector<data::Window>& windows,
                                                    const training::TableUnits& units, std::size_t count,
                                                    std::uint64_t seed) const {
  const std::vector<forecasts::Forecast> answers = own_answer(windows, units);
  std::vector<forecasts::Paths> paths = training::draw_windows(*model, windows, units, count, seed);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const double factor = widths.of(*windows[w].series) * widths.band_scales.back();
    const std::vector<double>& mean = answers[w].mean;
    for (std::size_t i = 0; i < paths[w].size(); ++i) {
      const double middle = mean[i % mean.size()];
      paths[w][i] = middle + factor * (paths[w][i] - middle);
    }
  }
  return paths;
}

void add_widths(nlohmann::ordered_json& provenance, const std::string& run) {
  write_widths(load_table_model(run).widths, provenance);
}

}  // namespace cmanp::cli_train

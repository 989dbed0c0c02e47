// cmanp forecast: the next values of every series of a table, by a model that was trained on tables.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/table_model.hpp"
#include "cli_train/verbs.hpp"
#include "data/timestamp.hpp"
#include "files/atomic_file.hpp"
#include "forecasts/report.hpp"
#include "measures/judgement.hpp"
#include "training/evaluation/window_predictor.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;

struct ForecastOptions {
  std::string model;
  std::vector<std::string> files;
  std::string group, x;
  std::vector<std::string> y;
  std::int64_t horizon = 0;
  std::string plots;
  std::size_t threads = cli::default_threads();
  bool json = false;
};

// As the model knows its tables, but for what is said otherwise.
training::TableKeys keys_of(const ForecastOptions& options, training::TableKeys keys) {
  keys.data = fmt::format("{}", fmt::join(options.files, ","));
  if (!options.group.empty()) keys.group = options.group;
  if (!options.x.empty()) keys.x = options.x;
  if (!options.y.empty()) keys.y = fmt::format("{}", fmt::join(options.y, ","));
  if (options.horizon > 0) keys.horizon = options.horizon;
  return keys;
}

// The series with places for what is to come, and a window of each that asks for it.
std::vector<data::Window> windows_ahead(data::SeriesSet& set, const data::WindowPlan& plan, std::size_t& too_short) {
  std::vector<data::Window> windows;
  for (data::Series& series : set.series) {
    const std::size_t known = series.x.size();
    if (known < 2) {
      ++too_short;
      continue;
    }
    data::Window window{&series, series.x.back(), {}, {}};
    const double begin = window.origin - plan.window_length() + 1e-6 * plan.step;
    for (std::size_t i = 0; i < known; ++i) {
      if (series.x[i] > begin) window.context.push_back(i);
    }
    for (std::int64_t i = 1; i <= plan.horizon; ++i) {
      window.targets.push_back(series.x.size());
      series.x.push_back(window.origin + static_cast<double>(i) * plan.step);
      series.values.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

std::string in_csv(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string shown_x(double x, bool times) { return times ? data::format_timestamp(x) : fmt::format("{}", x); }

void print_csv(const training::TableKeys& keys, bool times, const std::vector<data::Window>& windows,
               const std::vector<forecasts::Forecast>& answers) {
  cli::Output output;
  const std::string group = keys.group.empty() ? "" : in_csv(keys.group) + ",";
  output.text(fmt::format("{}{},column,mean,std,low_90,high_90,low_95,high_95\n", group, in_csv(keys.x)));
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const data::Series& series = *windows[w].series;
    for (std::size_t i = 0; i < windows[w].targets.size(); ++i) {
      const double mean = answers[w].mean[i], std = answers[w].std[i];
      if (!keys.group.empty()) output.text(in_csv(series.group) + ",");
      output.text(fmt::format("{},{},", shown_x(series.x[windows[w].targets[i]], times), in_csv(series.y)));
      const double nine = measures::kLevels[1].deviations * std, five = measures::kLevels[2].deviations * std;
      output.numbers(std::vector<double>{mean, std, mean - nine, mean + nine, mean - five, mean + five},
                     cli::Digits::of_float);
      output.text("\n");
    }
  }
  output.flush();
}

void print_documents(bool times, const std::vector<data::Window>& windows,
                     const std::vector<forecasts::Forecast>& answers) {
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const data::Series& series = *windows[w].series;
    ordered_json x = ordered_json::array();
    for (const std::size_t i : windows[w].targets) {
      x.push_back(times ? ordered_json(data::format_timestamp(series.x[i])) : ordered_json(series.x[i]));
    }
    ordered_json document{
        {"group", series.group}, {"column", series.y}, {"x", x}, {"mean", answers[w].mean}, {"std", answers[w].std}};
    for (std::size_t level = 1; level < measures::kLevels.size(); ++level) {
      ordered_json low = ordered_json::array(), high = ordered_json::array();
      for (std::size_t i = 0; i < answers[w].mean.size(); ++i) {
        const double half = measures::kLevels[level].deviations * answers[w].std[i];
        low.push_back(answers[w].mean[i] - half);
        high.push_back(answers[w].mean[i] + half);
      }
      const int percent = static_cast<int>(std::lround(100 * measures::kLevels[level].probability));
      document[fmt::format("low_{}", percent)] = low;
      document[fmt::format("high_{}", percent)] = high;
    }
    cli::print_json(document);
  }
}

// "0007-Oslo_temperature.svg": a name for whatever a group is called.
std::string file_name(std::size_t index, const data::Series& series) {
  std::string name = fmt::format("{:04}-{}_{}", index + 1, series.group, series.y).substr(0, 100);
  for (char& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return name + ".svg";
}

void draw(const ForecastOptions& options, const training::TableKeys& keys, bool times,
          const std::vector<data::Window>& windows, const std::vector<forecasts::Forecast>& answers) {
  std::filesystem::create_directories(options.plots);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const data::Series& series = *windows[w].series;
    const std::string title = series.group.empty() ? series.y : series.group + ", " + series.y;
    files::write_file(std::filesystem::path(options.plots) / file_name(w, series),
                      forecasts::picture_of(windows[w], answers[w], title, keys.x, times));
  }
  cli::note(fmt::format("{} pictures in {}", windows.size(), options.plots));
}

void run(const ForecastOptions& options) {
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const TableModel table = load_table_model(options.model);
  const training::TableKeys keys = keys_of(options, table.keys);
  if (keys.split == "gaps" || keys.split == "random") {
    cli::warn(fmt::format("the model was trained to fill in (split {}), not to forecast", keys.split));
  } else if (keys.horizon > table.keys.horizon) {
    cli::warn(fmt::format("the model was trained to forecast {} steps, not {}", table.keys.horizon, keys.horizon));
  }
  data::SeriesSet set = data::series_of(training::read_table(keys), training::roles_of(keys));
  if (std::abs(set.step - keys.step) > 0.01 * keys.step) {
    cli::warn(fmt::format("the table has a step of {:g}, the model was trained on {:g}", set.step, keys.step));
  }
  std::size_t too_short = 0;
  const std::vector<data::Window> windows = windows_ahead(set, training::plan_of(keys), too_short);
  if (too_short > 0) cli::note(fmt::format("{} series of one row are left out", too_short));
  if (windows.empty()) throw Error("no series has two rows or more");
  const std::vector<forecasts::Forecast> answers =
      training::predict_windows(*table.model, windows, training::table_units(keys));
  if (!options.plots.empty()) draw(options, keys, set.times, windows, answers);
  if (options.json) {
    print_documents(set.times, windows, answers);
  } else {
    print_csv(keys, set.times, windows, answers);
  }
}

}  // namespace

void add_forecast(CLI::App& app) {
  auto options = std::make_shared<ForecastOptions>();
  CLI::App* verb = cli::add_verb(app, "forecast", "The next values of every series of a table",
                                 "cmanp forecast --model runs/stations --data stations.csv --horizon 48 > next.csv\n"
                                 "The model is one of `cmanp train --task table`; it knows the columns' names.");
  verb->add_option("--model,-m", options->model, "A run's folder or a model file")->required()->type_name("RUN|FILE");
  verb->add_option("--data", options->files, "CSV or TSV, gzipped or not; may stand several times")
      ->required()
      ->type_name("FILE");
  verb->add_option("--horizon", options->horizon, "Steps to forecast (default: as trained)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}))
      ->type_name("N");
  verb->add_option("--group", options->group, "The column that tells series apart, where it has another name")
      ->type_name("NAME");
  verb->add_option("--x", options->x, "The column along which values lie, where it has another name")
      ->type_name("NAME");
  verb->add_option("--y", options->y, "The columns of values, where they have other names")->type_name("NAME");
  verb->add_option("--plot", options->plots, "A folder for a picture (SVG) of every series")->type_name("FOLDER");
  cli::add_threads(verb, options->threads);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train

#include "cli/table_forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmanp/model.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/model_files.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "data/made_columns.hpp"
#include "data/role_columns.hpp"
#include "files/atomic_file.hpp"
#include "files/quote.hpp"
#include "files/safetensors.hpp"
#include "forecasts/in_frames.hpp"
#include "forecasts/lowest.hpp"
#include "forecasts/report.hpp"
#include "measures/judgement.hpp"
#include "runtime/config_json.hpp"

namespace cmanp::cli {
namespace {

using nlohmann::ordered_json;

void print_csv(const Ahead& ahead, const Answered& answered, std::size_t samples) {
  Output output;
  const std::string group = ahead.group.empty() ? "" : in_csv(ahead.group) + ",";
  output.text(fmt::format("{}{},column,{}", group, in_csv(ahead.x), kAnswerNames));
  for (std::size_t draw = 1; draw <= samples; ++draw) output.text(fmt::format(",sample{}", draw));
  output.text("\n");
  for (std::size_t w = 0; w < ahead.windows.size(); ++w) {
    const data::Window& window = ahead.windows[w];
    const data::Series& series = *window.series;
    const double lowest = forecasts::lowest_of(series);
    for (std::size_t i = 0; i < window.targets.size(); ++i) {
      if (!ahead.group.empty()) output.text(in_csv(series.group) + ",");
      output.text(fmt::format("{},{},", ahead.set.calendar.shown(series.x[window.targets[i]]), in_csv(series.y)));
      std::vector<double> numbers = answer_numbers(answered.forecasts[w], i, lowest);
      for (std::size_t draw = 0; draw < samples; ++draw) {
        numbers.push_back(std::max(lowest, answered.paths[w][draw * window.targets.size() + i]));
      }
      for (double& number : numbers) number = answer_digits(number, answered.forecasts[w].std[i]);
      output.numbers(numbers);
      output.text("\n");
    }
  }
  output.flush();
}

void print_documents(const Ahead& ahead, const Answered& answered, std::size_t samples) {
  for (std::size_t w = 0; w < ahead.windows.size(); ++w) {
    const data::Series& series = *ahead.windows[w].series;
    const forecasts::Forecast& forecast = answered.forecasts[w];
    ordered_json x = ordered_json::array();
    for (const std::size_t i : ahead.windows[w].targets) {
      const data::Calendar& calendar = ahead.set.calendar;
      x.push_back(calendar.times() ? ordered_json(calendar.shown(series.x[i])) : ordered_json(series.x[i]));
    }
    const double lowest = forecasts::lowest_of(series);
    const auto above = [lowest](std::vector<double> values) {
      for (double& value : values) value = std::max(lowest, value);
      return values;
    };
    ordered_json document{
        {"group", series.group}, {"column", series.y}, {"x", x}, {"mean", above(forecast.mean)}, {"std", forecast.std}};
    for (std::size_t level = 1; level < measures::kLevels.size(); ++level) {
      ordered_json low = ordered_json::array(), high = ordered_json::array();
      for (std::size_t i = 0; i < forecast.mean.size(); ++i) {
        const double half = forecast.half_width(i, level);
        low.push_back(std::max(lowest, forecast.mean[i] - half));
        high.push_back(std::max(lowest, forecast.mean[i] + half));
      }
      const int percent = static_cast<int>(std::lround(100 * measures::kLevels[level].probability));
      document[fmt::format("low_{}", percent)] = low;
      document[fmt::format("high_{}", percent)] = high;
    }
    const auto length = static_cast<std::ptrdiff_t>(forecast.mean.size());
    for (std::size_t draw = 0; draw < samples; ++draw) {
      const auto begin = answered.paths[w].begin() + static_cast<std::ptrdiff_t>(draw) * length;
      document["samples"].push_back(above({begin, begin + length}));
    }
    print_json(document);
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

void draw(const std::string& folder, const Ahead& ahead, const Answered& answered) {
  std::filesystem::create_directories(folder);
  for (std::size_t w = 0; w < ahead.windows.size(); ++w) {
    const data::Series& series = *ahead.windows[w].series;
    const std::string title = series.group.empty() ? series.y : series.group + ", " + series.y;
    files::write_file(
        std::filesystem::path(folder) / file_name(w, series),
        forecasts::picture_of(ahead.windows[w], answered.forecasts[w], title, ahead.x, ahead.set.calendar));
  }
  note(fmt::format("{} pictures in {}", ahead.windows.size(), folder));
}

// What is known besides of a place to come: a row without a value has to say it.
void take_known(const data::SeriesSet& set, data::Series& series, double x, double step) {
  const std::size_t width = data::inputs_of(set.known);
  if (width == 0) return;
  const auto fail = [&](const std::string& column, const std::string& why) {
    throw Error(fmt::format("{}{} at {}: {} {}; it takes a row with an empty {} for every step to forecast",
                            series.group.empty() ? "" : fmt::format("{}, ", files::quote(series.group)), series.y,
                            set.calendar.shown(x), files::quote(column), why, series.y));
  };
  const auto found = std::lower_bound(series.missing.begin(), series.missing.end(), x - 1e-6 * step);
  if (found == series.missing.end() || *found > x + 1e-6 * step) fail(set.known.front().name, "is in no row");
  const float* inputs =
      series.known_of_missing.data() + width * static_cast<std::size_t>(found - series.missing.begin());
  for (const data::KnownColumn& known : set.known) {
    if (std::isnan(*inputs)) fail(known.name, "is missing");
    series.known.insert(series.known.end(), inputs, inputs + known.inputs());
    inputs += known.inputs();
  }
}

// From where on to forecast: a series' end. Of several, the last place at which all are known: what is known of some
// beyond it tells about the others. One that ended more than a horizon before the latest holds nobody back.
double last_known(std::span<const data::Series> block, const Reach& reach) {
  double latest = block.front().x.back();
  for (const data::Series& series : block) latest = std::max(latest, series.x.back());
  double origin = latest;
  for (const data::Series& series : block) {
    const double last = series.x.back();
    if (last >= latest - reach.step * (static_cast<double>(reach.horizon) + 1e-6)) origin = std::min(origin, last);
  }
  return origin;
}

std::size_t day_of_week(double seconds) {
  constexpr double kDay = 86400;
  return static_cast<std::size_t>(std::floor(std::fmod(std::fmod(seconds / kDay, 7) + 7, 7))) % 7;
}

data::Window known_of(const data::Series& series, double origin, double begin) {
  data::Window window{&series, origin, {}, {}};
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] > begin) window.context.push_back(i);
  }
  return window;
}

// Which days of the week are steps: all but those of which several weeks have none, as markets are closed on.
std::array<bool, 7> days_in_use(const data::Series& series, const data::Window& window, bool work_days) {
  constexpr std::size_t kEnough = 15;
  std::array<bool, 7> used{};
  for (const std::size_t i : window.context) used[day_of_week(series.x[i])] = true;
  if (!work_days || window.context.size() < kEnough) used.fill(true);
  return used;
}

// What is missing among the rows, where that is asked for, and every step to come that is not known.
void ask(const data::SeriesSet& set, data::Series& series, data::Window& window, double begin, const Reach& reach) {
  const double last = series.x.back(), near = 1e-6 * reach.step;
  const auto add = [&](double x) {
    window.targets.push_back(series.x.size());
    take_known(set, series, x, reach.step);
    series.x.push_back(x);
    series.values.push_back(std::numeric_limits<double>::quiet_NaN());
  };
  const auto is_known = [&](double x) {
    if (x > last + near) return false;
    const auto found = std::lower_bound(series.x.begin(), series.x.begin() + window.context.back() + 1, x - near);
    return *found <= x + near;
  };
  for (const double x : series.missing) {
    if (reach.fill && x > begin && x < window.origin) add(x);
  }
  const std::array<bool, 7> used = days_in_use(series, window, reach.work_days);
  std::int64_t asked = 0;
  for (std::int64_t i = 1; asked < reach.horizon; ++i) {
    const double x = window.origin + static_cast<double>(i) * reach.step;
    if (reach.work_days && !used[day_of_week(x)]) continue;
    ++asked;
    if (!is_known(x)) add(x);
  }
}

// "a,b" is two of them, unless one is called so.
std::vector<std::string> columns_of(const std::vector<std::string>& told, const data::DataTable& table) {
  std::vector<std::string> names;
  for (const std::string& entry : told) {
    const bool one = table.find(entry) != nullptr;
    for (const std::string& name : one ? std::vector{entry} : data::split_list(entry)) names.push_back(name);
  }
  return names;
}

// Roles by flags, and by looking where they do not say.
data::Roles roles_of(const TableForecastOptions& options, const data::DataTable& table) {
  data::Roles roles = data::find_roles(table, {options.group, options.x, columns_of(options.y, table)});
  if (roles.x.empty()) data::fail_without_x(table);
  if (roles.y.empty()) data::fail_without_y(table, roles);
  if (!options.y.empty() || roles.y.size() == 1) return roles;
  for (const std::string& y : roles.y) {
    try {
      data::column_of_values(table, y);
    } catch (const Error& error) {
      throw Error(fmt::format("{}; --y names the columns to forecast", error.what()));
    }
  }
  return roles;
}

}  // namespace

std::string in_csv(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<double> answer_numbers(const forecasts::Forecast& forecast, std::size_t target, double lowest) {
  std::vector<double> numbers{forecast.mean[target], forecast.std[target]};
  for (const std::size_t level : {1, 2}) {
    const double half = forecast.half_width(target, level);
    numbers.push_back(forecast.mean[target] - half);
    numbers.push_back(forecast.mean[target] + half);
  }
  for (double& number : numbers) number = std::max(lowest, number);
  return numbers;
}

CLI::Validator are_seasons() {
  return CLI::Validator(
      [](const std::string& text) {
        try {
          data::parse_seasons(text);
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string();
      },
      "");
}

void add_others(CLI::App* verb, std::vector<std::string>& others) {
  verb->add_option(
          "--with", others,
          "Other runs on the same table, such as of another --seed: they answer together with the model, which is "
          "better than each by itself; may stand several times")
      ->type_name("RUN|FILE");
}

void check_no_others(const std::string& model, const std::vector<std::string>& others) {
  if (others.empty()) return;
  throw Error(
      fmt::format("--with: {} was trained on no table; those that answer together are runs on the same one", model));
}

void add_forecast_verb(CLI::App& app, const std::function<void(const TableForecastOptions&)>& run) {
  auto options = std::make_shared<TableForecastOptions>();
  CLI::App* verb = add_verb(app, "forecast", "The next values of every series of a table",
                            "cmanp forecast --model runs/stations --data stations.csv --horizon 48 > next.csv\n"
                            "cmanp forecast --model universal --data stations.csv --horizon 48 > next.csv\n"
                            "The model is one of `cmanp train --task table`, which knows the columns' names, or one "
                            "that works in frames\n"
                            "and needs no training, such as universal.");
  verb->add_option("--model,-m", options->model,
                   "A run's folder, a model file, or the name of a model that is installed")
      ->required()
      ->transform(model_by_name())
      ->type_name("RUN|FILE");
  add_others(verb, options->others);
  verb->add_option("--data", options->files, "CSV or TSV, gzipped or not, or packed; may stand several times")
      ->required()
      ->type_name("FILE");
  const CLI::Range steps(std::int64_t{1}, std::int64_t{1000000});
  verb->add_option("--horizon", options->horizon, "Steps to forecast (default: as trained)")
      ->check(steps)
      ->type_name("N");
  verb->add_option(
          "--window", options->window,
          fmt::format("Steps before them to go by (default: as trained; of a model in frames {})", kFramedWindow))
      ->check(steps)
      ->type_name("N");
  verb->add_flag("--fill", options->fill, "Rows among those whose value is missing as well");
  verb->add_option("--season", options->season,
                   "Of a model in frames: steps after which things come again, of which the shortest counts (default: "
                   "what such times usually have, and what is found to come again), or none")
      ->check(are_seasons())
      ->type_name("N");
  verb->add_option("--group", options->group,
                   "The column that tells series apart, where it has another name; none: all rows are one series")
      ->type_name("NAME");
  verb->add_option("--x", options->x, "The column along which values lie, where it has another name")
      ->type_name("NAME");
  verb->add_option("--y", options->y, "The columns of values, where they have other names")->type_name("NAME");
  CLI::Option* samples = verb->add_option("--samples", options->samples,
                                          "Draw as many ways in which all of it could come, by a model that knows how "
                                          "values hang together (cmanpand)")
                             ->check(CLI::Range(std::size_t{1}, std::size_t{100000}))
                             ->type_name("N");
  verb->add_option("--seed", options->seed, "Seed of the samples")
      ->capture_default_str()
      ->needs(samples)
      ->type_name("N");
  verb->add_option("--plot", options->plots, "A folder for a picture (SVG) of every series")->type_name("FOLDER");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

Ahead look_ahead(data::SeriesSet set, const data::Roles& roles, const Reach& reach) {
  Ahead ahead{std::move(set), {}, roles.group, roles.x};
  std::size_t too_short = 0;
  for (const std::span<const data::Series> block : data::blocks_of(ahead.set, reach.jointly)) {
    const double origin = last_known(block, reach);
    const double begin = origin - reach.step * (static_cast<double>(reach.window) - 1e-6);
    std::vector<data::Window> task;
    for (const data::Series& one : block) {
      data::Series& series = ahead.set.series[static_cast<std::size_t>(&one - ahead.set.series.data())];
      data::Window window = known_of(series, origin, begin);
      if (window.context.size() >= 2) {
        ask(ahead.set, series, window, begin, reach);
      } else {
        ++too_short;
      }
      if (!window.context.empty()) task.push_back(std::move(window));
    }
    const bool asks = std::any_of(task.begin(), task.end(), [](const auto& window) { return !window.targets.empty(); });
    if (asks) data::add_task(std::move(task), ahead.windows);
  }
  if (ahead.windows.empty()) {
    throw Error(fmt::format("no series has two values within the last {} steps of {}", reach.window,
                            ahead.set.calendar.shown_step(reach.step)));
  }
  if (too_short > 0) {
    note(fmt::format("left out: {} series with less than two values within the last {} steps of {}", too_short,
                     reach.window, ahead.set.calendar.shown_step(reach.step)));
  }
  if (ahead.set.without_values > 0) note(fmt::format("left out: {} series without a value", ahead.set.without_values));
  if (ahead.set.without_x > 0) {
    note(fmt::format("left out: {} rows without a {}", ahead.set.without_x, files::quote(roles.x)));
  }
  if (ahead.set.merged > 0) {
    note(fmt::format("{} rows have the {} of another row of their group: averaged", ahead.set.merged,
                     files::quote(roles.x)));
  }
  return ahead;
}

void print_forecasts(const TableForecastOptions& options, const Ahead& ahead, const Answered& answered) {
  if (!options.plots.empty()) draw(options.plots, ahead, answered);
  if (options.json) {
    print_documents(ahead, answered, options.samples);
  } else {
    print_csv(ahead, answered, options.samples);
  }
}

bool works_in_frames(const std::string& path) {
  if (std::filesystem::is_directory(path)) return false;
  const files::Safetensors file = files::Safetensors::open(path);
  const auto format = file.metadata().find("format"), model = file.metadata().find("model");
  if (format == file.metadata().end() || format->second != runtime::model_format || model == file.metadata().end()) {
    return false;
  }
  return runtime::runs_lean(model->second) && Model::load(path).config().frames;
}

void forecast_in_frames(const TableForecastOptions& options) {
  check_no_others(options.model, options.others);
  if (options.horizon == 0) {
    throw Error(fmt::format("how many steps? (--horizon): {} was trained on none in particular", options.model));
  }
  const Model model = Model::load(options.model);
  const data::DataTable table = data::read_data_table({options.files.begin(), options.files.end()},
                                                      {.made = {options.group, options.x}, .lenient = true});
  const data::Roles roles = roles_of(options, table);
  if (const std::string made = data::about_made_time(table, roles.x); !made.empty() && options.x.empty()) note(made);
  data::SeriesSet set = data::series_of(table, roles);
  const double step = set.step;
  const std::string usual = data::usual_seasons(set);
  const std::vector<double> seasons = data::parse_seasons(options.season.empty() ? usual : options.season);
  const forecasts::FramedOptions framed{step, seasons.empty() ? 0 : seasons.front() * step, options.threads,
                                        options.season != "none"};
  const bool days = set.calendar.times() && !set.calendar.months() && step == 86400;
  const Ahead ahead = look_ahead(
      std::move(set), roles,
      {step, options.window > 0 ? options.window : kFramedWindow, options.horizon, options.fill, false, days});
  Answered answered;
  if (options.samples > 0) {
    ProgressBar bar("sampling", ahead.windows.size(), "series");
    answered.paths = forecasts::draw_in_frames(model, ahead.windows, options.samples, options.seed, framed,
                                               [&](std::size_t done) { bar.update(done, done); });
  }
  ProgressBar bar("forecasting", ahead.windows.size(), "series");
  answered.forecasts =
      forecasts::answer_in_frames(model, ahead.windows, framed, [&](std::size_t done) { bar.update(done, done); });
  print_forecasts(options, ahead, answered);
}

}  // namespace cmanp::cli

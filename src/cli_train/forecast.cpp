// cmanp forecast by a model that was trained on tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>
#include <cmath>

#include "cli/table_forecasts.hpp"
#include "cli_train/table_model.hpp"
#include "cli_train/verbs.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

// As the model knows its tables, but for what is said otherwise.
training::TableKeys keys_of(const cli::TableForecastOptions& options, training::TableKeys keys) {
  keys.data = fmt::format("{}", fmt::join(options.files, ","));
  if (!options.group.empty()) keys.group = options.group == data::kNoGroup ? "" : options.group;
  if (!options.x.empty()) keys.x = options.x;
  if (!options.y.empty()) keys.y = fmt::format("{}", fmt::join(options.y, ","));
  if (options.horizon > 0) keys.horizon = options.horizon;
  if (options.window > 0) keys.window = options.window;
  return keys;
}

void run_forecast(const cli::TableForecastOptions& options) {
  if (cli::works_in_frames(options.model)) return cli::forecast_in_frames(options);
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const TableModel table = load_table_model(options.model, options.others);
  if (training::is_rows(table.keys)) {
    throw Error(
        fmt::format("{}: was trained on rows of several x ({}), which have no order to forecast along; ask by "
                    "cmanp predict --context known.csv --targets asked.csv",
                    options.model, table.keys.x));
  }
  if (!options.season.empty())
    throw Error(fmt::format("--season: {} was trained with those that it has", options.model));
  const training::TableKeys keys = keys_of(options, table.keys);
  if (options.fill && keys.split == "forecast") {
    cli::warn("the model was trained to forecast, not to fill in (split forecast)");
  }
  if (keys.split == "gaps" || keys.split == "random") {
    cli::warn(fmt::format("the model was trained to fill in (split {}), not to forecast", keys.split));
  } else if (keys.horizon > table.keys.horizon) {
    cli::warn(fmt::format("the model was trained to forecast {} steps, not {}", table.keys.horizon, keys.horizon));
  }
  const data::Roles roles = training::roles_of(keys);
  const std::size_t columns = training::roles_of(table.keys).y.size();
  if (training::is_joint(table.keys) && roles.y.size() != columns) {
    throw Error(fmt::format("--y: {} was trained on {} columns jointly ({}), and takes as many, in that order",
                            options.model, columns, table.keys.y));
  }
  data::SeriesSet set = training::read_series(keys);
  if (std::abs(set.step - keys.step) > 0.01 * keys.step) {
    cli::warn(fmt::format("the table has a step of {}, the model was trained on {}", set.calendar.shown_step(set.step),
                          set.calendar.shown_step(keys.step)));
  }
  const cli::Reach reach{keys.step, keys.window, keys.horizon, options.fill, training::is_joint(table.keys)};
  const cli::Ahead ahead = cli::look_ahead(std::move(set), roles, reach);
  // Units as of the training: a window of another length changes none.
  const training::TableUnits units = training::table_units(table.keys);
  cli::Answered answered;
  if (options.samples > 0) answered.paths = table.draw(ahead.windows, units, options.samples, options.seed);
  answered.forecasts = table.answer(ahead.windows, units);
  cli::print_forecasts(options, ahead, answered);
}

}  // namespace

void add_forecast(CLI::App& app) { cli::add_forecast_verb(app, run_forecast); }

}  // namespace cmanp::cli_train

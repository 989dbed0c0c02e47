// cmanp forecast, as both programs have it: the lean half answers by models that work in frames, the training half by
// those that were trained on tables.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "data/windows.hpp"
#include "forecasts/forecast.hpp"

namespace cmanp::cli {

struct TableForecastOptions {
  std::string model;
  std::vector<std::string> others;  // who answer together with it
  std::vector<std::string> files;
  std::string group, x;
  std::vector<std::string> y;
  std::int64_t horizon = 0, window = 0;  // in steps; 0: the model's own
  std::string season;                    // in steps; empty: the one that such times usually have
  bool fill = false;
  std::size_t samples = 0;
  std::uint64_t seed = 0;
  std::string plots;
  std::size_t threads = default_threads();
  bool json = false;
};

// A field of CSV, in quotes where it needs them.
std::string in_csv(const std::string& field);

// What is answered about one value, and what the columns of that are called.
inline constexpr const char* kAnswerNames = "mean,std,low_90,high_90,low_95,high_95";
// Nothing is below `lowest`.
std::vector<double> answer_numbers(const forecasts::Forecast& forecast, std::size_t target,
                                   double lowest = -std::numeric_limits<double>::infinity());

// Checks a flag: numbers of steps, with commas between, or the word none.
CLI::Validator are_seasons();

// The flag --with, which models that work in frames do not have.
void add_others(CLI::App* verb, std::vector<std::string>& others);
void check_no_others(const std::string& model, const std::vector<std::string>& others);

void add_forecast_verb(CLI::App& app, const std::function<void(const TableForecastOptions&)>& run);

// What is asked for: the series, each with places for what is to come, and their windows.
struct Ahead {
  data::SeriesSet set;
  std::vector<data::Window> windows;
  std::string group, x;  // columns; a group may be none
};

struct Reach {
  double step = 1;                       // along x
  std::int64_t window = 1, horizon = 1;  // in steps
  bool fill = false;                     // what is missing within the window is asked for, too
  bool jointly = false;                  // the columns of a group tell about each other
  bool work_days = false;                // days of the week that the table never has are no steps
};

// Says what is left out; throws Error where nothing is left.
Ahead look_ahead(data::SeriesSet set, const data::Roles& roles, const Reach& reach);

struct Answered {
  std::vector<forecasts::Forecast> forecasts;  // by window
  std::vector<forecasts::Paths> paths;         // by window; none unless they were asked for
};

// Tables, documents and pictures, as the options say.
void print_forecasts(const TableForecastOptions& options, const Ahead& ahead, const Answered& answered);

// Whether `path` is a model that needs no training on the table.
bool works_in_frames(const std::string& path);

// As many of the latest points as such a model goes by.
constexpr std::int64_t kFramedWindow = 200;

void forecast_in_frames(const TableForecastOptions& options);

}  // namespace cmanp::cli

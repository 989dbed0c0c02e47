// Tables of one's own: windows of their series, forecast or filled in.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <filesystem>
#include <utility>

#include "data/usual_plan.hpp"
#include "files/checksum.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"
#include "training/kinds/kinds.hpp"
#include "training/kinds/known_json.hpp"
#include "training/kinds/table_data.hpp"
#include "training/model_kind.hpp"
#include "training/neural_process.hpp"
#include "training/relative_start.hpp"
#include "training/tasks/table_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

const KeyTable<TableKeys>& table_keys() {
  using K = TableKeys;
  static const KeyTable<K> table({
      {"data",
       &K::data,
       "Of table: a file of CSV or TSV, gzipped or not, several with commas between; or one that is packed",
       0,
       0,
       {},
       true},
      {"group", &K::group, "The column that tells series apart: a station, a patient; none: all rows are one series"},
      {"x", &K::x,
       "The column along which values lie: numbers or ISO 8601 times. Several, and categories among them: rows of a "
       "table that is no series"},
      {"x_as", &K::x_as, "How several x become inputs, as JSON; empty: by looking at the data"},
      {"y", &K::y, "The columns of values; each is a series of its own in every group"},
      {"y_as", &K::y_as, "The units of y where x are several, as JSON; empty: by looking at the data"},
      {"jointly", &K::jointly,
       "The columns of values tell about each other: all of a group's are one task, and each may be known where others "
       "are asked for"},
      {"also", &K::also,
       "Columns that are known besides x, of context and targets alike, such as a forecast of the weather or a "
       "holiday: "
       "numbers, or categories"},
      {"also_as", &K::also_as, "How these become inputs, as JSON; empty: by looking at the data"},
      {"columns", &K::columns, "Types of columns that are not to be found by looking, such as line:category"},
      {"step", &K::step, "What lies between neighbours along x; 0: as it is typically"},
      {"window", &K::window, "Steps of context that a task has; 0: by seasons and horizon", 0, 1e6},
      {"horizon", &K::horizon, "Steps to forecast, and the longest gap to fill; 0: one season, or a tenth of a series",
       0, 1e6},
      {"season", &K::season, "Steps after which things come again, such as 24 and 168 for hours"},
      {"split",
       &K::split,
       "What is asked for: what follows, a gap, any points, or each of these in turn",
       0,
       0,
       {"forecast", "gaps", "random", "mix"}},
      {"parts",
       &K::parts,
       "What sets training, validation and test apart: time, group, or both; with several x, group or rows",
       0,
       0,
       {"time", "group", "both", "rows"}},
      {"test_windows", &K::test_windows, "Windows at each series' end that the test asks for; 0: by its length", 0,
       1e6},
      {"validation_windows", &K::validation_windows, "Windows before them for validation; 0: as many, or three", 0,
       1e6},
      {"test_share", &K::test_share, "Share of groups to test on, and of those to validate on, where parts are groups",
       0, 0.49},
      {"split_seed", &K::split_seed, "Decides which those are"},
      {"units",
       &K::units,
       "A window's units: its context's mean and deviation, or median and quartiles",
       0,
       0,
       {"deviation", "robust"}},
      {"blend", &K::blend,
       "The share of training windows that another one is added to, so that series are not learned by heart", 0, 1},
      {"phases", &K::phases, "Phases of the seasons are inputs beside x, for models in absolute coordinates"},
      {"part", &K::part, "The part of the data to evaluate on", 0, 0, {"validation", "test"}},
  });
  return table;
}

bool has_relative(const Settings& s) { return (model_kinds().at(s.model).keys & kCmab) != 0; }

std::vector<data::Split> splits_of(const std::string& name) {
  if (name == "forecast") return {data::Split::forecast};
  if (name == "gaps") return {data::Split::gaps};
  if (name == "random") return {data::Split::random};
  return {data::Split::forecast, data::Split::gaps, data::Split::random};
}

void check_lengths(const TableKeys& own) {
  seasons_of(own);
  known_of(own);
  if (own.window < 2) throw Error(fmt::format("window {} is too short: a context has two points or more", own.window));
  if (own.horizon < 1) throw Error("horizon must be 1 or more");
  const std::size_t columns = data::split_list(own.y).size();
  if (own.jointly && columns > data::kMostWords) {
    throw Error(fmt::format("{} columns of values; jointly {} at most", columns, data::kMostWords));
  }
}

// What nobody said, by looking at the data.
void look_at_data(TableKeys& own, const Json& said) {
  const data::DataTable table = read_table(own);
  if (data::split_list(own.x).size() > 1 && table.find(own.x) == nullptr) return look_at_rows(table, own, said);
  if (own.parts == "rows") throw Error("parts rows is for tables with several x; say time, group or both");
  const std::vector<std::string> also = data::split_list(own.also);
  const data::Roles roles = data::find_roles(table, roles_of(own), also);
  if (roles.x.empty()) data::fail_without_x(table);
  if (roles.y.empty()) data::fail_without_y(table, roles);
  own.group = roles.group;
  own.x = roles.x;
  own.y = fmt::format("{}", fmt::join(roles.y, ","));
  if (own.also_as.empty()) own.also_as = to_text(data::find_known(table, also));
  const data::SeriesSet set = data::series_of(table, roles, known_of(own));
  if (own.step == 0) own.step = set.step;
  if (own.season.empty() && own.step == set.step) own.season = data::usual_seasons(set);
  const data::WindowPlan plan = data::completed(plan_of(own), set, seasons_of(own));
  own.horizon = plan.horizon;
  own.window = plan.window;
  own.test_windows = plan.test_windows;
  own.validation_windows = plan.validation_windows;
}

bool is_complete(const TableKeys& own) {
  if (is_rows(own)) return !own.y_as.empty() && own.window > 0 && (own.also.empty() || !own.also_as.empty());
  return (own.also.empty() || !own.also_as.empty()) && !own.x.empty() && !own.y.empty() && own.step > 0 &&
         own.window > 0 && own.horizon > 0 && own.test_windows > 0 && own.validation_windows > 0;
}

void fill_in_table(Settings& s, const Json& document) {
  TableKeys own = table_keys().read(s.of_task);
  const bool of_a_run = is_complete(own) && document.contains("phases");  // it says all that there was at its time
  if (!document.contains("blend") && !of_a_run) own.blend = 0.5;
  if (!is_complete(own)) {
    if (own.data.empty()) throw Error("task table needs data: a file of CSV or TSV (--data)");
    look_at_data(own, document);
  }
  if (!document.contains("phases") && !is_rows(own)) {
    own.phases = !has_relative(s) || (document.contains("coordinates") && document["coordinates"] != "relative");
  }
  if (is_rows(own) && document.contains("coordinates") && document["coordinates"] == "relative") {
    throw Error("coordinates relative is along one x; with several x they are absolute");
  }
  s.of_task = table_keys().to_json(own);
  const auto open = [&](const char* key) { return !document.contains(key); };
  if (open("init") && is_rows(own) && model_kinds().at(s.model).inducing_start) s.init = "inducing";
  if (open("optimiser")) s.optimiser = "muon";
  if (open("lr")) s.lr = s.optimiser == "muon" ? 1.5e-3 : 1e-3;
  if (open("clip")) s.clip = 1;
  if (open("ema")) s.ema = 0.998;
  if (open("steps")) s.steps = 4000;
  if (open("warmup")) s.warmup = std::min<std::int64_t>(100, s.steps / 10);
  // A small table is soon learnt by heart.
  if (open("keep") && !of_a_run && s.eval_every != 0) s.keep = kKeepBest;
  // Patience counts evaluations that are evenly apart.
  if (open("eval_every")) s.eval_every = s.keep == kKeepBest && s.patience == 0 ? -1 : 500;
}

// In steps; half windows where a model knows no spacing.
double x_scale(const TableKeys& own) {
  return own.phases ? 0.5 * own.step * static_cast<double>(own.window) : own.step;
}

Range table_range(const Settings& s) {
  const TableKeys own = table_keys().read(s.of_task);
  if (is_rows(own)) return kRowRange;
  const double unit = own.step / x_scale(own);
  return {-unit * static_cast<double>(own.window), unit * static_cast<double>(own.horizon)};
}

// In steps: one head sees the whole window, however many spacings that is.
double longest_head(const TableKeys& own) { return 1.4 * static_cast<double>(own.window); }

ModelConfig table_model_sizes(const Settings& s) {
  ModelConfig config = default_config(s.model, "gp");
  const TableKeys own = table_keys().read(s.of_task);
  if (is_rows(own) && (model_kinds().at(s.model).keys & kCmab) != 0) {
    // As the recipe that learns fastest has it (docs/recipe.md).
    config.residual = Residual::plain;
    config.fourier_features = 4;
    config.distinct_layers = true;
  }
  if (is_rows(own) || own.phases) return config;
  constexpr double kLatents = 128;  // over context and horizon
  config.coordinates = Coordinates::relative;
  config.residual = Residual::plain;
  config.num_layers = 3;
  config.dim_feedforward = 64;  // as universal has it, whose weights are a start
  config.spacing = std::max(1.0, std::round(static_cast<double>(own.window + own.horizon) / kLatents));
  config.longest_length = std::max(config.longest_length, longest_head(own) / config.spacing);
  return config;
}

// Half of the frequencies are the shortest season and its harmonics; the others lie between the window and two such
// seasons, as near as can be to the longer ones.
std::vector<double> frequencies(const std::vector<double>& seasons, double window, std::size_t count) {
  const std::size_t slow = count / 2;
  std::vector<double> turns;
  const double from = std::log(1 / window), to = std::log(std::max(1 / window, 0.5 / seasons.front()));
  for (std::size_t i = 0; i < slow; ++i) {
    turns.push_back(
        std::exp(std::lerp(from, to, slow == 1 ? 0 : static_cast<double>(i) / static_cast<double>(slow - 1))));
  }
  for (std::size_t s = 1; s < seasons.size() && slow > 0; ++s) {
    const auto distance = [&](double turn) { return std::abs(std::log(turn * seasons[s])); };
    *std::min_element(turns.begin(), turns.end(), [&](double a, double b) { return distance(a) < distance(b); }) =
        1 / seasons[s];
  }
  for (std::size_t i = slow; i < count; ++i) turns.push_back(static_cast<double>(i - slow + 1) / seasons.front());
  return turns;
}

void start_with_seasons(NeuralProcess& model, const Settings& s) {
  const TableKeys own = table_keys().read(s.of_task);
  const std::vector<double> seasons = seasons_of(own);
  if (seasons.empty() || model.config().coordinates != Coordinates::relative || model.config().axes() > 1) return;
  const auto window = static_cast<double>(own.window);
  const auto pairs = static_cast<std::size_t>(model.config().d_model / model.config().nhead / 2);
  set_scales(model, 1.2 * model.config().spacing, longest_head(own), frequencies(seasons, window, pairs));
}

// What is not trained on, or not as it stands in the table.
void tell_left_out(const Settings& s, const images::PackEvents& events) {
  const std::shared_ptr<const TableTask> task = make_table(s);
  const std::size_t too_short = task->windows().left_out(), merged = task->windows().set().merged;
  if (too_short > 0 && is_rows(table_keys_of(s))) {
    events.left_out(fmt::format("{} groups by columns with less than three rows to train on", too_short));
  } else if (too_short > 0) {
    events.left_out(fmt::format("{} series that are too short for a window beside validation and test", too_short));
  }
  if (merged > 0) events.left_out(fmt::format("{} rows whose x another of their group has: averaged", merged));
}

}  // namespace

TableKeys table_keys_of(const Settings& settings) { return table_keys().read(settings.of_task); }

std::vector<double> seasons_of(const TableKeys& own) { return data::parse_seasons(own.season); }

data::Roles roles_of(const TableKeys& own) { return {own.group, own.x, data::split_list(own.y)}; }

data::DataTable read_table(const TableKeys& own) {
  data::TableOptions options;
  for (const std::string& entry : data::split_list(own.columns)) {
    const auto [name, type] = data::parse_typed_name(entry);
    options.types[name] = type;
  }
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(own.data)) {
    files.emplace_back(own.data);
  } else {
    for (const std::string& file : data::split_list(own.data)) files.emplace_back(file);
  }
  options.made = {own.group, own.x};
  options.lenient = true;
  return data::read_data_table(files, options);
}

std::vector<data::KnownColumn> known_of(const TableKeys& own) {
  return parse_known_columns(own.also_as, data::split_list(own.also), "also");
}

data::SeriesSet read_series(const TableKeys& own) {
  if (is_rows(own)) return read_row_series(own);
  return data::series_of(read_table(own), roles_of(own), known_of(own));
}

data::WindowPlan plan_of(const TableKeys& own) {
  data::WindowPlan plan;
  plan.step = own.step;
  plan.window = own.window;
  plan.horizon = own.horizon;
  plan.splits = splits_of(own.split);
  plan.parts = own.parts;
  plan.test_windows = own.test_windows;
  plan.validation_windows = own.validation_windows;
  plan.test_share = own.test_share;
  plan.split_seed = static_cast<std::uint64_t>(own.split_seed);
  plan.jointly = is_joint(own);
  plan.rows = is_rows(own);
  return plan;
}

bool is_joint(const TableKeys& own) { return own.jointly && data::split_list(own.y).size() > 1; }

TableUnits table_units(const TableKeys& own) {
  if (is_rows(own)) {
    TableUnits units{1, false, {}, data::inputs_of(inputs_of_rows(own))};
    units.rows = true;
    if (is_joint(own)) units.columns = data::split_list(own.y).size();
    for (const data::KnownColumn& y : values_of_rows(own)) units.fixed.push_back({y.shift, y.scale});
    return units;
  }
  TableUnits units{x_scale(own), own.units == "robust", {}, data::inputs_of(known_of(own))};
  if (is_joint(own)) units.columns = data::split_list(own.y).size();
  if (own.phases) {
    for (const double season : seasons_of(own)) units.seasons.push_back(season * own.step);
  }
  return units;
}

std::shared_ptr<const TableTask> make_table(const Settings& s) {
  const TableKeys own = table_keys().read(s.of_task);
  if (own.data.empty()) throw Error("task table needs data: a file of CSV or TSV (--data)");
  data::SeriesSet set = read_series(own);
  files::Checksum sum;
  for (const data::Series& series : set.series) {
    sum.add(series.group);
    sum.add(std::as_bytes(std::span(series.x)));
    sum.add(std::as_bytes(std::span(series.values)));
    sum.add(std::as_bytes(std::span(series.known)));
  }
  Json decides = table_keys().to_json(own);
  decides.erase("data");
  // As runs that are older than these keys name their data.
  if (!own.jointly) decides.erase("jointly");
  if (!is_rows(own)) {
    decides.erase("x_as");
    decides.erase("y_as");
  }
  decides.erase("blend");  // decides about training, not about what is evaluated on
  sum.add(decides.dump());
  const TableSettings settings{"table-" + sum.text(), s.batch, s.max_targets, own.part, table_units(own), own.blend};
  return std::make_shared<TableTask>(std::make_shared<data::Windows>(std::move(set), plan_of(own)), settings);
}

TaskKind table_kind() {
  TaskKind kind;
  kind.name = "table";
  kind.summary = "the series of a table of your own";
  kind.keys = own_keys(table_keys());
  for (SettingsKey& key : kind.keys.described) {
    const auto lists = {"data", "x", "y", "also", "columns", "season"};
    key.list = std::find(lists.begin(), lists.end(), key.name) != lists.end();
  }
  kind.places = {"data"};
  kind.make = [](const Settings& s) { return make_table(s); };
  kind.dimensions = [](const Settings& s) {
    return std::pair<std::int64_t, std::int64_t>{table_units(table_keys_of(s)).dim_x(), 1};
  };
  kind.features = [](const Settings& s) {
    const TableUnits units = table_units(table_keys_of(s));
    return units.rows ? 0 : units.dim_x() - 1;
  };
  kind.range = table_range;
  kind.fill_in = fill_in_table;
  kind.check = [](const Settings& s) { check_lengths(table_keys_of(s)); };
  kind.model_sizes = table_model_sizes;
  kind.start = start_with_seasons;
  kind.prepare = tell_left_out;
  kind.evaluation = {.flags = {"data", "part"},
                     .inherited = {"data",       "group",        "x",
                                   "y",          "also",         "also_as",
                                   "columns",    "step",         "window",
                                   "horizon",    "season",       "split",
                                   "parts",      "test_windows", "validation_windows",
                                   "test_share", "split_seed",   "units",
                                   "phases",     "jointly",      "model",
                                   "x_as",       "y_as"},
                     .each = "part",
                     .usual = {"test"},
                     .told = {"part", "window", "horizon", "split"}};
  kind.knows = [](const Settings& s) {
    const TableKeys own = table_keys_of(s);
    if (is_rows(own)) {
      return Json{{"prior", fmt::format("{} by {}, tasks of {} rows at most", own.y, own.x, own.window)},
                  {"units", "those of its table: use cmanp predict"}};
    }
    return Json{{"prior", fmt::format("windows of {} steps of {} over {}, {}", own.window, own.y, own.x, own.split)},
                {"units", "each window's own: use cmanp forecast"}};
  };
  return kind;
}

}  // namespace cmanp::training

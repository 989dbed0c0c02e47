#include "data/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmanp/error.hpp>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string_view>

#include "data/decimal.hpp"
#include "data/timestamp.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

constexpr std::uint64_t kFewGroups = 10;

std::vector<double> present(const Column& column) {
  std::vector<double> values;
  values.reserve(column.values.size());
  std::copy_if(column.values.begin(), column.values.end(), std::back_inserter(values),
               [](double value) { return !std::isnan(value); });
  return values;
}

// Of values that may change their order.
double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// "3,5", as some write three and a half.
bool has_decimal_comma(std::string word) {
  const std::size_t comma = word.find(',');
  if (comma == std::string::npos) return false;
  word[comma] = '.';
  double value = 0;
  return parse_decimal(word, value);
}

bool is_number(const std::string& word) {
  double value = 0;
  return parse_decimal(word, value);
}

// "5/31/2024" or "31.05.2024 12:30": three numbers, and nothing that ISO 8601 knows.
bool looks_like_a_date(const std::string& word) {
  std::size_t numbers = 0, separators = 0;
  for (std::size_t i = 0; i < word.size() && word[i] != ' ' && word[i] != 'T'; ++i) {
    const bool digit = word[i] >= '0' && word[i] <= '9';
    if (!digit && std::string_view("/.-").find(word[i]) == std::string_view::npos) return false;
    separators += digit ? 0 : 1;
    numbers += digit && (i == 0 || word[i - 1] < '0' || word[i - 1] > '9') ? 1 : 0;
  }
  return numbers == 3 && separators == 2;
}

ColumnReport report_of(const Column& column) {
  ColumnReport report{column.name, column.type, column.missing};
  if (column.type == ColumnType::category) {
    report.distinct = column.categories.size();
    const auto mostly = [&](const auto& is) {
      return 2 * std::count_if(column.categories.begin(), column.categories.end(), is) >
             static_cast<std::ptrdiff_t>(column.categories.size());
    };
    report.decimal_commas = mostly(has_decimal_comma);
    report.dates = mostly(looks_like_a_date);
    const auto stray = std::find_if_not(column.categories.begin(), column.categories.end(), is_number);
    if (mostly(is_number) && stray != column.categories.end()) report.stray_word = *stray;
    return report;
  }
  std::vector<double> values = present(column);
  if (values.empty()) return report;
  std::sort(values.begin(), values.end());
  report.lowest = values.front();
  report.median = values[values.size() / 2];
  report.highest = values.back();
  report.distinct = 1;
  for (std::size_t i = 1; i < values.size(); ++i) report.distinct += values[i] != values[i - 1] ? 1 : 0;
  return report;
}

// Rows by group, each group's in the order of the file.
std::vector<std::size_t> rows_by_group(const DataTable& table, const Column* group) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (group != nullptr) {
    std::stable_sort(rows.begin(), rows.end(), [group](std::size_t a, std::size_t b) {
      const double first = group->values[a], second = group->values[b];
      return std::isnan(second) ? !std::isnan(first) : first < second;  // those without a group last
    });
  }
  return rows;
}

bool same_group(const Column* group, std::size_t a, std::size_t b) {
  return group == nullptr || group->values[a] == group->values[b] ||
         (std::isnan(group->values[a]) && std::isnan(group->values[b]));
}

// Beyond ten robust deviations from the median of their group: groups may differ in all else.
std::uint64_t outliers_of(const Column& column, const Column* group, const std::vector<std::size_t>& rows) {
  std::uint64_t count = 0;
  std::vector<double> values, distances;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    values.clear();
    for (; end < rows.size() && same_group(group, rows[begin], rows[end]); ++end) {
      if (!std::isnan(column.values[rows[end]])) values.push_back(column.values[rows[end]]);
    }
    if (values.empty()) continue;
    const double median = median_of(values);
    distances.clear();
    for (const double value : values) distances.push_back(std::abs(value - median));
    const double most = 10 * 1.4826 * median_of(distances);
    if (most == 0) continue;  // more than half are the same
    for (const double value : values) count += std::abs(value - median) > most ? 1 : 0;
  }
  return count;
}

bool ascends(const DataTable& table, const Column* group, const Column& column) {
  const std::vector<std::size_t> rows = rows_by_group(table, group);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (same_group(group, rows[i - 1], rows[i]) && !(column.values[rows[i]] >= column.values[rows[i - 1]]))
      return false;
  }
  return column.missing == 0 && table.rows() > 1;
}

bool is_in(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool says_something(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 9> kNothing{"id",  "index",   "row",  "year",  "month",
                                                     "day", "weekday", "hour", "minute"};
  return std::find(kNothing.begin(), kNothing.end(), name) == kNothing.end();
}

// Whether all rows are one series along this column, of even steps: then no other column tells series apart.
bool is_even(const Column& x) {
  constexpr std::size_t kFewest = 3;
  if (x.missing > 0 || x.type == ColumnType::category || x.values.size() < kFewest) return false;
  const Calendar calendar(x);
  std::vector<double> places, steps;
  for (const double value : x.values) places.push_back(calendar.place(value));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) steps.push_back(places[i] - places[i - 1]);
  const double usual = median_of(steps);
  const auto even = std::count_if(steps.begin(), steps.end(),
                                  [usual](double step) { return step > 0 && std::abs(step - usual) < 0.01 * usual; });
  return 10 * static_cast<std::size_t>(even) >= 9 * steps.size();
}

std::string guess_group(const DataTable& table, const Roles& told, const std::vector<std::string>& taken) {
  for (const Column& column : table.columns) {
    const bool is_x = told.x.empty() ? column.type == ColumnType::time : column.name == told.x;
    if (is_x && is_even(column)) return {};
  }
  for (const Column& column : table.columns) {
    if (column.name == told.x || is_in(column.name, told.y) || is_in(column.name, taken)) continue;
    if (column.type == ColumnType::category && 2 * column.categories.size() <= table.rows()) return column.name;
  }
  return {};
}

std::string guess_x(const DataTable& table, const Column* group) {
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::time) return column.name;
  }
  constexpr std::array<std::string_view, 12> kUsual{"x",  "t",    "time",  "hour",  "day",  "date",
                                                    "ds", "step", "index", "month", "week", "year"};
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::number && std::find(kUsual.begin(), kUsual.end(), column.name) != kUsual.end()) {
      return column.name;
    }
  }
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::number && ascends(table, group, column)) return column.name;
  }
  return {};
}

}  // namespace

Roles find_roles(const DataTable& table, const Roles& told, const std::vector<std::string>& taken) {
  Roles roles = told;
  for (const std::string& y : roles.y) {
    if (table.column(y).type != ColumnType::number) {
      throw Error(fmt::format("column {} holds no numbers, and cannot be a y", files::quote(y)));
    }
  }
  if (roles.group == kNoGroup && table.find(kNoGroup) == nullptr) {
    roles.group.clear();
  } else if (roles.group.empty()) {
    roles.group = guess_group(table, told, taken);
  }
  const Column* group = roles.group.empty() ? nullptr : &table.column(roles.group);
  if (roles.x.empty()) roles.x = guess_x(table, group);
  if (!roles.x.empty() && table.column(roles.x).type == ColumnType::category) {
    throw Error(
        fmt::format("column {} holds words, and cannot be an x that has an order; times are written as "
                    "2024-05-31T12:30",
                    files::quote(roles.x)));
  }
  if (!roles.y.empty()) return roles;
  for (const Column& column : table.columns) {
    const bool free = column.name != roles.group && column.name != roles.x && !is_in(column.name, taken) &&
                      (column.missing < table.rows() || table.rows() == 0);
    if (column.type == ColumnType::number && free) roles.y.push_back(column.name);
  }
  // Numbers of rows and parts of dates are values of nothing, where anything else is.
  std::vector<std::string> values;
  std::copy_if(roles.y.begin(), roles.y.end(), std::back_inserter(values), says_something);
  if (!values.empty()) roles.y = values;
  return roles;
}

namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

// Where nothing is a time: the two of a place on a map; or, where nothing looks like one x, all numbers but those of
// y, which is the last where nobody says.
std::vector<std::string> guess_several_x(const DataTable& table, const Roles& roles, bool knows_y) {
  std::vector<std::string> places, numbers;
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::time) return {};
    if (column.type != ColumnType::number || column.name == roles.group || column.missing == table.rows()) continue;
    if (is_one_of(column.name,
                  {"lat", "latitude", "lon", "lng", "long", "longitude", "east", "north", "easting", "northing"})) {
      places.push_back(column.name);
    }
    const bool is_y = knows_y && is_in(column.name, roles.y);
    if (!is_y) numbers.push_back(column.name);
  }
  if (places.size() == 2 && numbers.size() + (knows_y ? 1 : 0) > 2) return places;
  if (!roles.x.empty()) return {};
  if (!knows_y && !numbers.empty()) numbers.pop_back();
  return numbers.size() > 1 ? numbers : std::vector<std::string>();
}

// Neighbours along x within each group.
class SeriesCheck {
 public:
  SeriesCheck(const DataTable& table, const Roles& roles)
      : table_(table),
        group_(roles.group.empty() ? nullptr : &table.column(roles.group)),
        x_(roles.x.empty() ? nullptr : &table.column(roles.x)) {
    if (x_ != nullptr) report_.calendar = Calendar(*x_);
  }

  SeriesReport run() {
    const std::vector<std::size_t> rows = rows_by_group(table_, group_);
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && same_group(group_, rows[begin], rows[end])) ++end;
      take(std::vector<std::size_t>(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                    rows.begin() + static_cast<std::ptrdiff_t>(end)));
    }
    if (!lengths_.empty()) {
      std::sort(lengths_.begin(), lengths_.end());
      report_.groups = lengths_.size();
      report_.shortest = lengths_.front();
      report_.median_length = lengths_[lengths_.size() / 2];
      report_.longest = lengths_.back();
    }
    if (!steps_.empty()) {
      report_.largest_gap = *std::max_element(steps_.begin(), steps_.end());
      report_.step = median_of(steps_);
      report_.gaps = static_cast<std::uint64_t>(
          std::count_if(steps_.begin(), steps_.end(), [this](double step) { return step > 1.5 * report_.step; }));
    }
    return report_;
  }

 private:
  void take(std::vector<std::size_t> rows) {
    lengths_.push_back(rows.size());
    if (rows.size() == 1) ++report_.single_rows;
    if (x_ == nullptr) return;
    const Values& x = x_->values;
    std::erase_if(rows, [&](std::size_t row) { return std::isnan(x[row]); });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (x[rows[i]] < x[rows[i - 1]]) count(report_.out_of_order, report_.first_out_of_order, rows[i]);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const double step = report_.calendar.place(x[rows[i]]) - report_.calendar.place(x[rows[i - 1]]);
      if (step > 0) {
        steps_.push_back(step);
      } else {
        count(report_.duplicates, report_.first_duplicate, rows[i]);
      }
    }
  }

  void count(std::uint64_t& number, std::string& first, std::size_t row) const {
    if (number++ == 0) first = table_.where(row);
  }

  const DataTable& table_;
  const Column *group_, *x_;
  std::vector<std::uint64_t> lengths_;
  std::vector<double> steps_;
  SeriesReport report_;
};

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::vector<std::string> advise(const TableReport& report) {
  std::vector<std::string> advice;
  const SeriesReport& series = report.series;
  if (report.rows == 0) advice.emplace_back("the table has no rows");
  if (report.roles.y.empty()) advice.emplace_back("no column of numbers is left to be a y");
  if (report.roles.x.empty() && report.several_x.empty()) {
    advice.emplace_back("no column looks like an x: none is a time, and none ascends");
  }
  for (const ColumnReport& column : report.columns) {
    if (report.rows > 0 && column.missing == report.rows) {
      advice.push_back(fmt::format("column {} is empty", files::quote(column.name)));
    } else if (report.rows > 1 && column.distinct == 1) {
      advice.push_back(fmt::format("column {} is constant", files::quote(column.name)));
    }
  }
  for (const ColumnReport& column : report.columns) {
    if (!column.decimal_commas) continue;
    advice.push_back(
        fmt::format("column {} has numbers with decimal commas, which are words here: write them with points",
                    files::quote(column.name)));
  }
  for (const ColumnReport& column : report.columns) {
    if (column.dates) {
      advice.push_back(fmt::format("column {} has dates in a form that is not read: write them as 2024-05-31",
                                   files::quote(column.name)));
    }
    if (!column.stray_word.empty()) {
      advice.push_back(fmt::format("column {} has words among its numbers, such as {}: it is taken for words",
                                   files::quote(column.name), files::quote(column.stray_word)));
    }
  }
  if (series.duplicates > 0) {
    advice.push_back(fmt::format("{} the same {} as another of their group, the first at {}",
                                 counted(series.duplicates, "row has", "rows have"), files::quote(report.roles.x),
                                 series.first_duplicate));
  }
  if (series.out_of_order > 0) {
    advice.push_back(fmt::format("{} out of order, the first at {}", counted(series.out_of_order, "row is", "rows are"),
                                 series.first_out_of_order));
  }
  if (series.groups == 1 && !report.several_x.empty()) {
    advice.emplace_back("one table is not a set of tasks: random rows of it are given, others asked for");
  } else if (series.groups == 1) {
    advice.emplace_back("a single series is not a set of tasks: only windows of it can be learned from");
  } else if (series.groups > 1 && series.groups < kFewGroups) {
    advice.push_back(fmt::format("{} groups are few to learn from what groups have in common", series.groups));
  }
  if (series.single_rows > 0) {
    advice.push_back(fmt::format("{} one row only, from which nothing can be learned",
                                 counted(series.single_rows, "group has", "groups have")));
  }
  if (series.gaps > 0) advice.push_back(fmt::format("{} gaps along {}", series.gaps, files::quote(report.roles.x)));
  for (const ColumnReport& column : report.columns) {
    if (column.missing > 0 && column.missing < report.rows) {
      advice.push_back(
          fmt::format("{} of {} values of {} are missing", column.missing, report.rows, files::quote(column.name)));
    }
    if (column.outliers > 0) {
      advice.push_back(fmt::format("{} values of {} are more than ten robust deviations from the median{}",
                                   column.outliers, files::quote(column.name),
                                   report.roles.group.empty() ? "" : " of their group"));
    }
  }
  return advice;
}

}  // namespace

TableReport check_table(const DataTable& table, const Roles& roles, const std::vector<std::string>& several_x) {
  TableReport report;
  report.rows = table.rows();
  report.roles = find_roles(table, roles);
  report.several_x = several_x;
  for (const std::string& name : several_x) table.column(name);
  if (several_x.empty() && roles.x.empty()) report.several_x = guess_several_x(table, report.roles, !roles.y.empty());
  if (!report.several_x.empty()) {
    report.roles.x.clear();
    std::erase_if(report.roles.y, [&](const std::string& y) { return is_in(y, report.several_x); });
  }
  const Column* group = report.roles.group.empty() ? nullptr : &table.column(report.roles.group);
  const std::vector<std::size_t> rows = rows_by_group(table, group);
  for (const Column& column : table.columns) {
    report.columns.push_back(report_of(column));
    if (column.type == ColumnType::number) report.columns.back().outliers = outliers_of(column, group, rows);
  }
  report.series = SeriesCheck(table, report.roles).run();
  report.advice = advise(report);
  return report;
}

}  // namespace cmanp::data

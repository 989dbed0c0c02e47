#include "data/roles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmanp/error.hpp>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "base/lower.hpp"
#include "data/calendar.hpp"
#include "data/field_form.hpp"
#include "data/looking.hpp"
#include "data/made_columns.hpp"
#include "data/role_columns.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

template <std::size_t Count>
bool is_among(const std::string& name, const std::array<std::string_view, Count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// As many rows may have the x of another of their group as a series takes.
bool is_few(std::size_t same, std::size_t rows) { return 20 * same <= rows; }

// Whether it grows from row to row of each group, but for a few that are equal.
bool ascends(const DataTable& table, const Column* group, const Column& column) {
  const std::vector<std::size_t> rows = rows_by_group(table, group);
  std::size_t same = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!same_group(group, rows[i - 1], rows[i])) continue;
    if (!(column.values[rows[i]] >= column.values[rows[i - 1]])) return false;
    same += column.values[rows[i]] == column.values[rows[i - 1]] ? 1 : 0;
  }
  return column.missing == 0 && table.rows() > 1 && is_few(same, table.rows());
}

// How many rows have the x of another of their group.
std::size_t same_places(const DataTable& table, const Column* group, const Column& x) {
  std::vector<std::pair<double, double>> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!std::isnan(x.values[row])) places.emplace_back(group == nullptr ? 0 : group->values[row], x.values[row]);
  }
  std::sort(places.begin(), places.end());
  return static_cast<std::size_t>(std::distance(std::unique(places.begin(), places.end()), places.end()));
}

bool is_whole(const Column& column) {
  return column.type == ColumnType::number && std::all_of(column.values.begin(), column.values.end(), [](double value) {
           return std::isnan(value) || value == std::floor(value);
         });
}

// "Unnamed: 0" is what pandas calls it.
bool has_no_name(const Column& column) {
  return column.name == "column1" || base::lower(column.name).starts_with("unnamed");
}

// 1, 2, 3, …; or what had no name, as programs write their row numbers.
bool is_row_number(const Column& column) {
  if (!is_whole(column) || column.values.size() < 2) return false;
  if (has_no_name(column)) return true;
  if (column.values[0] != 0 && column.values[0] != 1) return false;
  for (std::size_t row = 1; row < column.values.size(); ++row) {
    if (column.values[row] != column.values[row - 1] + 1) return false;
  }
  return true;
}

bool is_part_of_date(const std::string& name) {
  constexpr std::array<std::string_view, 16> kParts{"year", "yr",      "quarter", "qtr",   "month", "mon",
                                                    "week", "weekday", "day",     "dow",   "doy",   "hour",
                                                    "hr",   "minute",  "min",     "second"};
  return is_among(base::lower(name), kParts);
}

// "dirCat", "zip_code", "id", "station.nr": the last word of a name says that whole numbers are names.
bool sounds_like_a_code(const std::string& name) {
  constexpr std::array<std::string_view, 16> kCodes{"cat",   "category", "code", "id",      "index", "label",
                                                    "class", "type",     "flag", "key",     "nr",    "row",
                                                    "rows",  "zip",      "fips", "rownames"};
  std::size_t begin = name.size();
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(name[begin - 1])) != 0) {
    --begin;
    const bool camel = begin > 0 && std::isupper(static_cast<unsigned char>(name[begin])) != 0 &&
                       std::islower(static_cast<unsigned char>(name[begin - 1])) != 0;
    if (camel) break;
  }
  return is_among(base::lower(name.substr(begin)), kCodes);
}

// Numbers of rows, parts of dates, codes and what never changes are values of nothing, where anything else is.
bool says_something(const Column& column) {
  if (is_part_of_date(column.name) || is_row_number(column)) return false;
  if (sounds_like_a_code(column.name) && is_whole(column)) return false;
  const double first = column.values.size() < 2 ? 0 : column.values[0];
  return column.values.size() < 2 ||
         std::any_of(column.values.begin(), column.values.end(), [first](double value) { return value != first; });
}

// Whether the rows of each group, or all, are a series along this column, of even steps all alike. A few may be without
// a place.
bool is_even(const Column& x, const Column* group) {
  constexpr std::size_t kFewest = 3;
  if (20 * x.missing > x.values.size() || x.type == ColumnType::category || x.values.size() < kFewest) return false;
  const Calendar calendar(x);
  std::vector<std::pair<double, double>> places;
  std::vector<double> steps;
  for (std::size_t row = 0; row < x.values.size(); ++row) {
    if (std::isnan(x.values[row])) continue;
    places.emplace_back(group == nullptr ? 0 : group->values[row], calendar.place(x.values[row]));
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].first == places[i - 1].first) steps.push_back(places[i].second - places[i - 1].second);
  }
  if (steps.empty()) return false;
  const double usual = median_of(steps);
  const auto even = std::count_if(steps.begin(), steps.end(),
                                  [usual](double step) { return step > 0 && std::abs(step - usual) < 0.01 * usual; });
  return 10 * static_cast<std::size_t>(even) >= 9 * steps.size();
}

// What is an x by its type or its name.
const Column* plain_x(const DataTable& table, const Roles& told) {
  if (!told.x.empty()) return &table.column(told.x);
  const Column* time = nullptr;
  for (const Column& column : table.columns) {
    if (column.type != ColumnType::time || is_in(column.name, told.y)) continue;
    // A date with its clock rather than by itself.
    if (time == nullptr || is_in(time->name, made_time_of(table, column.name))) time = &column;
  }
  if (time != nullptr) return time;
  constexpr std::array<std::string_view, 16> kUsual{"x",        "t",         "time",    "hour", "day",   "date",
                                                    "datetime", "yr",        "ds",      "step", "index", "month",
                                                    "week",     "timestamp", "seconds", "year"};
  for (const Column& column : table.columns) {
    if (column.type != ColumnType::number || !is_among(base::lower(column.name), kUsual) ||
        is_in(column.name, told.y)) {
      continue;
    }
    // Hours that come again and again are no place in time.
    const std::string name = base::lower(column.name);
    const bool cyclic = is_part_of_date(name) && name != "year" && name != "yr";
    const bool again = !ascends(table, nullptr, column) && !is_few(same_places(table, nullptr, column), table.rows());
    if (cyclic && again && table.find(told.group) == nullptr) {
      const bool restarts = std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& group) {
        return group.type == ColumnType::category && is_few(same_places(table, &group, column), table.rows());
      });
      if (!restarts) continue;
    }
    return &column;
  }
  return nullptr;
}

// Words, mostly; whole numbers where rows of one x are told apart by nothing else, and every group has most of the x.
std::string guess_group(const DataTable& table, const Roles& told, const std::vector<std::string>& taken) {
  const Column* x = plain_x(table, told);
  const bool has_time = x != nullptr && x->type == ColumnType::time;
  const auto free = [&](const Column& column) {
    return column.name != told.x && &column != x && !is_in(column.name, told.y) && !is_in(column.name, taken) &&
           !(has_time && holds_clocks(column));
  };
  if (x != nullptr && is_even(*x, nullptr)) {
    if (same_places(table, nullptr, *x) == 0) return {};
    // A short series beside a long one: whatever tells all of its rows from the other's.
    for (const ColumnType type : {ColumnType::category, ColumnType::number}) {
      for (const Column& column : table.columns) {
        if (!free(column) || column.type != type || column.missing > 0 || is_part_of_date(column.name)) continue;
        if (type == ColumnType::number && !is_whole(column)) continue;
        const bool several_rows = 3 * distinct(column) <= table.rows();
        if (several_rows && same_places(table, &column, *x) == 0 && is_even(*x, &column)) return column.name;
      }
    }
    return {};
  }
  std::vector<const Column*> words;
  for (const Column& column : table.columns) {
    if (free(column) && column.type == ColumnType::category && 2 * column.categories.size() <= table.rows()) {
      words.push_back(&column);
    }
  }
  const bool has_order = x != nullptr && x->type != ColumnType::category;
  const auto tells_apart = [&](const Column* group) { return is_few(same_places(table, group, *x), table.rows()); };
  if (has_order) {
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const Column* column) { return column->missing == 0 && tells_apart(column); });
    if (found != words.end()) return (*found)->name;
    if (!tells_apart(nullptr)) {
      const std::size_t places = distinct(*x);
      for (const Column& column : table.columns) {
        if (!free(column) || !is_whole(column) || is_part_of_date(column.name) || column.missing > 0) continue;
        const std::size_t groups = distinct(column);
        if (groups < 2 || 3 * groups > table.rows() || groups * places > 2 * table.rows()) continue;
        if (tells_apart(&column)) return column.name;
      }
    }
  }
  return words.empty() ? std::string() : words.front()->name;
}

std::string guess_x(const DataTable& table, const Column* group, const Roles& told) {
  if (const Column* x = plain_x(table, told)) return x->name;
  const auto is_other = [&](const Column& column) {
    return column.type == ColumnType::number && &column != group && says_something(column);
  };
  const bool several = std::count_if(table.columns.begin(), table.columns.end(), is_other) > 1;
  // Row numbers where nothing else ascends, or nothing else would be left to be a value.
  for (const bool numbers_of_rows : {false, true}) {
    for (const Column& column : table.columns) {
      if (is_in(column.name, told.y) || column.type != ColumnType::number || &column == group) continue;
      if (is_row_number(column) != numbers_of_rows || (!numbers_of_rows && !several && is_other(column))) continue;
      if (ascends(table, group, column)) return column.name;
    }
  }
  return {};
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

}  // namespace

std::string about_ambiguous_dates(const std::string& column) {
  return fmt::format(
      "column {} has dates that do not say which of day, month and year comes first: write them as 2024-05-31",
      files::quote(column));
}

Roles find_roles(const DataTable& table, const Roles& told, const std::vector<std::string>& taken) {
  Roles roles = told;
  for (const std::string& y : roles.y) {
    if (table.column(y).type != ColumnType::number) column_of_values(table, y);  // says so
  }
  if (roles.group == kNoGroup && table.find(kNoGroup) == nullptr) {
    roles.group.clear();
  } else if (roles.group.empty()) {
    roles.group = guess_group(table, told, taken);
  }
  const Column* group = roles.group.empty() ? nullptr : &table.column(roles.group);
  if (roles.x.empty()) roles.x = guess_x(table, group, told);
  if (!roles.x.empty() && table.column(roles.x).type == ColumnType::category) {
    const Column& x = table.column(roles.x);
    throw Error(std::any_of(x.categories.begin(), x.categories.end(), is_ambiguous_date)
                    ? about_ambiguous_dates(x.name)
                    : fmt::format("column {} holds words, and cannot be an x that has an order; times are written as "
                                  "2024-05-31T12:30",
                                  files::quote(roles.x)));
  }
  if (!roles.y.empty()) return roles;
  for (const Column& column : table.columns) {
    const bool free = column.name != roles.group && column.name != roles.x && !is_in(column.name, taken) &&
                      (column.missing < table.rows() || table.rows() == 0);
    if (column.type == ColumnType::number && free) roles.y.push_back(column.name);
  }
  std::vector<std::string> values;
  std::copy_if(roles.y.begin(), roles.y.end(), std::back_inserter(values),
               [&](const std::string& name) { return says_something(table.column(name)); });
  if (!values.empty()) {
    roles.y = values;
  } else {
    std::erase_if(roles.y, [&](const std::string& name) { return has_no_name(table.column(name)); });
  }
  return roles;
}

void fail_without_x(const DataTable& table) {
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::category &&
        std::any_of(column.categories.begin(), column.categories.end(), is_ambiguous_date)) {
      throw Error(fmt::format("{}: {}", table.where(0), about_ambiguous_dates(column.name)));
    }
  }
  const auto stray = std::find_if(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return column.strays.count > 0; });
  throw Error(fmt::format(
      "{}: which column is x? None is a time, and none ascends{}: --x names it; --x rows takes the rows in their order",
      table.where(0),
      stray == table.columns.end() ? std::string()
                                   : fmt::format(" (column {} has {} at {})", files::quote(stray->name),
                                                 files::quote(stray->strays.field), table.where(stray->strays.row))));
}

void fail_without_y(const DataTable& table, const Roles& roles) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> words;
  for (const Column& column : table.columns) {
    if (column.name == roles.group || column.type != ColumnType::category || holds_clocks(column)) continue;
    if (words.size() < kMost) {
      words.push_back(fmt::format("{} has {}", files::quote(column.name), files::quote(word_in(column))));
    }
  }
  throw Error(fmt::format("{}: which column is y? None that holds numbers is left{}{}: --y names it", table.where(0),
                          words.empty() ? "" : "; ", fmt::join(words, ", ")));
}

std::vector<std::string> find_several_x(const DataTable& table, const Roles& roles, bool knows_y) {
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

}  // namespace cmanp::data

#include "data/made_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/lower.hpp"
#include "data/looking.hpp"
#include "data/role_columns.hpp"
#include "data/timestamp.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

enum class DatePart { year, quarter, month, day, hour, date, clock, none };

DatePart date_part_of(std::string name) {
  name = base::lower(name);
  const auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("year", "yr", "yyyy")) return DatePart::year;
  if (is("quarter", "qtr", "qrt", "q")) return DatePart::quarter;
  if (is("month", "mon", "mo", "mm")) return DatePart::month;
  if (is("day", "dd", "dom")) return DatePart::day;
  return is("hour", "hr", "hh") ? DatePart::hour : DatePart::none;
}

bool is_called_clock(const std::string& name) {
  const std::string small = base::lower(name);
  const auto is = [&](auto... names) { return ((small == names) || ...); };
  return is("time", "clock", "hour", "hr", "hh", "hh:mm", "hhmm", "hh:mm:ss", "time of day", "time_of_day",
            "time.of.day", "timeofday", "local time", "local_time", "uhrzeit", "zeit", "heure", "hora", "ora", "tijd");
}

bool is_midnight(double seconds) { return std::isnan(seconds) || std::fmod(seconds, 86400) == 0; }

// By what it holds, where that says it: dates without a clock, or clocks without a date.
DatePart date_part_of(const Column& column) {
  if (column.type == ColumnType::time) {
    const bool dates = std::all_of(column.values.begin(), column.values.end(), is_midnight);
    return dates && !column.zoned ? DatePart::date : DatePart::none;
  }
  return holds_clocks(column) ? DatePart::clock : date_part_of(column.name);
}

// A whole number, or the name of a month; NaN: neither.
double number_in(const Column& column, DatePart part, double value) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (column.type == ColumnType::time) return kNothing;
  if (column.type == ColumnType::number) return value == std::floor(value) ? value : kNothing;
  const std::string& word = column.categories[static_cast<std::size_t>(value)];
  if (part == DatePart::quarter && word.size() == 2 && (word[0] == 'Q' || word[0] == 'q')) return word[1] - '0';
  const auto first = part == DatePart::month ? parse_timestamp(word + " 1970") : std::nullopt;
  return first ? 1 + std::floor(first->seconds / (30.5 * 86400)) : kNothing;
}

// Columns that are a time together.
class TimeParts {
 public:
  explicit TimeParts(const std::vector<const Column*>& columns) {
    for (const Column* column : columns) parts_.push_back({column, date_part_of(*column)});
  }

  // A date, or a year, to begin with, and no more of anything than once.
  bool fit() const {
    const auto is = [this](DatePart wanted) {
      return std::count_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.what == wanted; });
    };
    const bool of_date = is(DatePart::date) == 1 && parts_.size() == 2 && is(DatePart::hour) + is(DatePart::clock) == 1;
    return of_date || (is(DatePart::year) > 0 && is(DatePart::none) + is(DatePart::date) == 0);
  }

  // In seconds; NaN where a part is missing, none where one is not what its name says.
  std::optional<double> at(std::size_t row) const {
    double year = 0, month = 1, day = 1, of_day = 0;
    std::optional<double> date;
    for (const auto& [column, what] : parts_) {
      const double value = column->values[row];
      if (std::isnan(value)) return value;
      if (what == DatePart::date) {
        date = value;
        continue;
      }
      if (what == DatePart::clock) {
        const auto clock = base::parse_time_of_day(column->categories[static_cast<std::size_t>(value)]);
        if (!clock) return {};
        of_day += *clock;
        continue;
      }
      const double number = number_in(*column, what, value);
      const auto is_within = [number](double low, double high) { return number >= low && number <= high; };
      if (what == DatePart::year && is_within(1000, 3000)) {
        year = number;
      } else if (what == DatePart::quarter && is_within(1, 4)) {
        month = 3 * number - 2;
      } else if (what == DatePart::month && is_within(1, 12)) {
        month = number;
      } else if (what == DatePart::day && is_within(1, 31)) {
        day = number;
      } else if (what == DatePart::hour && is_within(0, 24)) {
        of_day += 3600 * number;
      } else {
        return {};
      }
    }
    if (date) return *date + of_day;
    const auto begin = parse_timestamp(fmt::format("{:04}-{:02}-{:02}", year, month, day));
    return begin ? std::optional(begin->seconds + of_day) : std::nullopt;
  }

  // Whether all rows have one, but for a few at most, such as sums at a table's end and mistakes.
  bool are_there(std::size_t rows) const {
    std::size_t without = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto time = at(row);
      without += !time || std::isnan(*time) ? 1 : 0;
    }
    return 20 * without <= rows;
  }

 private:
  struct Part {
    const Column* column;
    DatePart what;
  };

  std::vector<Part> parts_;
};

std::vector<const Column*> columns_of(const DataTable& table, const std::vector<std::string>& names) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(&table.column(name));
  return columns;
}

// As a row has them, with commas between.
std::string text_of(const std::vector<const Column*>& parts, std::size_t row) {
  std::string text;
  for (const Column* part : parts) {
    const double value = part->values[row];
    text += (text.empty() ? "" : ", ") + (std::isnan(value) ? std::string() : group_name(*part, value));
  }
  return text;
}

Column times_of(const std::string& name, const std::vector<const Column*>& columns, const TimeParts& parts) {
  Column made;
  made.name = name;
  made.type = ColumnType::time;
  for (std::size_t row = 0; row < columns.front()->values.size(); ++row) {
    const auto time = parts.at(row);
    if (!time && made.strays.count++ == 0) made.strays = {1, row, text_of(columns, row), "is no time"};
    made.values.push_back(time.value_or(std::numeric_limits<double>::quiet_NaN()));
    made.missing += std::isnan(made.values.back()) ? 1 : 0;
  }
  return made;
}

Column words_of(const DataTable& table, const std::string& name, const std::vector<const Column*>& parts) {
  Column made;
  made.name = name;
  made.type = ColumnType::category;
  std::unordered_map<std::string, std::size_t> codes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string word = text_of(parts, row);
    const auto [entry, fresh] = codes.emplace(word, codes.size());
    if (fresh) made.categories.push_back(word);
    made.values.push_back(static_cast<double>(entry->second));
  }
  return made;
}

// A date that comes again and the clock that tells its rows apart. Only what is called so: the sun rises at a time,
// too.
std::vector<const Column*> date_and_clock(const DataTable& table) {
  const Column *date = nullptr, *clock = nullptr;
  for (const Column& column : table.columns) {
    const DatePart part = date_part_of(column);
    if (column.type == ColumnType::time && part != DatePart::date) return {};  // a time by itself
    if (part == DatePart::date && date == nullptr) date = &column;
    const bool hours = part == DatePart::hour && column.type == ColumnType::number;
    const bool clocks = part == DatePart::clock && is_called_clock(column.name);
    if ((hours || clocks) && (clock == nullptr || date_part_of(*clock) == DatePart::hour)) clock = &column;
  }
  if (date == nullptr || clock == nullptr || distinct(*clock) < 2) return {};
  const std::size_t there = date->values.size() - date->missing;
  return distinct(*date) < there ? std::vector{date, clock} : std::vector<const Column*>();
}

// A year, and what of it is in other columns.
std::vector<const Column*> parts_of_dates(const DataTable& table) {
  std::array<const Column*, 5> found{};
  for (const Column& column : table.columns) {
    const bool clock = is_called_clock(column.name) && holds_clocks(column);
    const auto part = static_cast<std::size_t>(clock ? DatePart::hour : date_part_of(column.name));
    if (part < found.size() && found[part] == nullptr) found[part] = &column;
  }
  const auto [year, quarter, month, day, hour] = found;
  if (year == nullptr || (quarter == nullptr && month == nullptr)) return {};
  std::vector<const Column*> parts{year};
  if (month == nullptr) {
    parts.push_back(quarter);
  } else {
    parts.push_back(month);
    if (day != nullptr) parts.push_back(day);
    if (day != nullptr && hour != nullptr) parts.push_back(hour);
  }
  return parts;
}

}  // namespace

bool can_be_made(const std::string& name, const std::vector<std::string>& columns, std::vector<std::string>& parts) {
  parts.clear();
  if (name == kRows) return true;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    if (std::find(columns.begin(), columns.end(), parts.back()) == columns.end()) return false;
    begin = end + 1;
  }
  return parts.size() > 1;
}

namespace {

Column made_column(const DataTable& table, const std::string& name) {
  std::vector<std::string> names, parts;
  for (const Column& column : table.columns) names.push_back(column.name);
  if (!can_be_made(name, names, parts)) table.column(name);  // says which there are
  Column made;
  made.name = name;
  if (parts.empty()) {
    for (std::size_t row = 0; row < table.rows(); ++row) made.values.push_back(static_cast<double>(row + 1));
  } else {
    const std::vector<const Column*> columns = columns_of(table, parts);
    const TimeParts time(columns);
    made = time.fit() ? times_of(name, columns, time) : words_of(table, name, columns);
    // What cannot be read in a part cannot be in the whole.
    for (const Column* column : columns) {
      if (column->strays.count > made.strays.count) made.strays = column->strays;
    }
  }
  return made;
}

}  // namespace

void add_made_column(DataTable& table, const std::string& name) {
  Column made = made_column(table, name);
  check_readable(table, made);
  table.columns.push_back(std::move(made));
}

void add_usual_columns(DataTable& table) {
  if (table.rows() == 0) return;
  const auto is_time = [](const Column& column) { return column.type == ColumnType::time; };
  if (table.columns.size() == 1 && table.columns[0].type == ColumnType::number && table.columns[0].name != kRows) {
    add_made_column(table, kRows);
    return;
  }
  const bool has_time = std::any_of(table.columns.begin(), table.columns.end(), is_time);
  const std::vector<const Column*> parts = has_time ? date_and_clock(table) : parts_of_dates(table);
  if (parts.empty() || !TimeParts(parts).are_there(table.rows())) return;
  std::string name;
  for (const Column* part : parts) name += (name.empty() ? "" : "+") + part->name;
  if (table.find(name) == nullptr) table.columns.push_back(made_column(table, name));  // mistakes are its user's
}

bool holds_clocks(const Column& column) {
  const auto clocks = std::count_if(column.categories.begin(), column.categories.end(),
                                    [](const std::string& word) { return base::parse_time_of_day(word).has_value(); });
  return column.type == ColumnType::category && clocks > 0 &&
         10 * static_cast<std::size_t>(clocks) >= 9 * column.categories.size();
}

std::vector<std::string> made_time_of(const DataTable& table, const std::string& name) {
  std::vector<std::string> names, parts;
  for (const Column& column : table.columns) names.push_back(column.name);
  const Column* const made = table.find(name);
  const bool is_made = made != nullptr && made->type == ColumnType::time && can_be_made(name, names, parts);
  return is_made ? parts : std::vector<std::string>();
}

std::string about_made_time(const DataTable& table, const std::string& name) {
  const std::vector<std::string> parts = made_time_of(table, name);
  if (parts.empty()) return {};
  std::string columns;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    columns += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + files::quote(parts[i]);
  }
  return fmt::format("columns {} are a time together: {}", columns, files::quote(name));
}

}  // namespace cmanp::data

#include "data/made_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/lower.hpp"
#include "data/role_columns.hpp"
#include "data/timestamp.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

enum class DatePart { year, quarter, month, day, hour, none };

DatePart date_part_of(std::string name) {
  name = base::lower(name);
  const auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("year", "yr", "yyyy")) return DatePart::year;
  if (is("quarter", "qtr", "qrt", "q")) return DatePart::quarter;
  if (is("month", "mon", "mo", "mm")) return DatePart::month;
  if (is("day", "dd", "dom")) return DatePart::day;
  return is("hour", "hr", "hh") ? DatePart::hour : DatePart::none;
}

// A whole number, or the name of a month; NaN: neither.
double number_in(const Column& column, DatePart part, std::size_t row) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const double value = column.values[row];
  if (std::isnan(value) || column.type == ColumnType::time) return kNothing;
  if (column.type == ColumnType::number) return value == std::floor(value) ? value : kNothing;
  const std::string& word = column.categories[static_cast<std::size_t>(value)];
  if (part == DatePart::quarter && word.size() == 2 && (word[0] == 'Q' || word[0] == 'q')) return word[1] - '0';
  const auto first = part == DatePart::month ? parse_timestamp(word + " 1970") : std::nullopt;
  return first ? 1 + std::floor(first->seconds / (30.5 * 86400)) : kNothing;
}

std::optional<double> time_at(const std::vector<const Column*>& parts, std::size_t row) {
  double year = 0, month = 1, day = 1, hour = 0;
  for (const Column* column : parts) {
    const DatePart part = date_part_of(column->name);
    const double value = number_in(*column, part, row);
    const auto is_within = [value](double low, double high) { return value >= low && value <= high; };
    if (part == DatePart::year && is_within(1000, 3000)) {
      year = value;
    } else if (part == DatePart::quarter && is_within(1, 4)) {
      month = 3 * value - 2;
    } else if (part == DatePart::month && is_within(1, 12)) {
      month = value;
    } else if (part == DatePart::day && is_within(1, 31)) {
      day = value;
    } else if (part == DatePart::hour && is_within(0, 24)) {
      hour = value;
    } else {
      return {};
    }
  }
  const auto date = parse_timestamp(fmt::format("{:04}-{:02}-{:02}", year, month, day));
  if (!date) return {};
  return date->seconds + 3600 * hour;
}

std::vector<const Column*> columns_of(const DataTable& table, const std::vector<std::string>& names) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) columns.push_back(&table.column(name));
  return columns;
}

Column times_of(const DataTable& table, const std::string& name, const std::vector<const Column*>& parts) {
  Column made;
  made.name = name;
  made.type = ColumnType::time;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto time = time_at(parts, row);
    if (!time) throw Error(fmt::format("{}: {} is no time here", table.where(row), files::quote(name)));
    made.values.push_back(*time);
  }
  return made;
}

Column words_of(const DataTable& table, const std::string& name, const std::vector<const Column*>& parts) {
  Column made;
  made.name = name;
  made.type = ColumnType::category;
  std::unordered_map<std::string, std::size_t> codes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string word;
    for (const Column* part : parts) {
      const double value = part->values[row];
      word += (word.empty() ? "" : ", ") + (std::isnan(value) ? std::string() : group_name(*part, value));
    }
    const auto [entry, fresh] = codes.emplace(word, codes.size());
    if (fresh) made.categories.push_back(word);
    made.values.push_back(static_cast<double>(entry->second));
  }
  return made;
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

void add_made_column(DataTable& table, const std::string& name) {
  std::vector<std::string> names, parts;
  for (const Column& column : table.columns) names.push_back(column.name);
  if (!can_be_made(name, names, parts)) table.column(name);  // says which there are
  Column made;
  made.name = name;
  if (parts.empty()) {
    for (std::size_t row = 0; row < table.rows(); ++row) made.values.push_back(static_cast<double>(row + 1));
  } else {
    const std::vector<const Column*> columns = columns_of(table, parts);
    const auto is = [&](DatePart wanted) {
      return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return date_part_of(part) == wanted; });
    };
    made = is(DatePart::year) && !is(DatePart::none) ? times_of(table, name, columns) : words_of(table, name, columns);
  }
  table.columns.push_back(std::move(made));
}

void add_usual_columns(DataTable& table) {
  if (table.rows() == 0) return;
  const auto is_time = [](const Column& column) { return column.type == ColumnType::time; };
  if (std::any_of(table.columns.begin(), table.columns.end(), is_time)) return;
  if (table.columns.size() == 1 && table.columns[0].type == ColumnType::number && table.columns[0].name != kRows) {
    add_made_column(table, kRows);
    return;
  }
  std::array<const Column*, 5> found{};
  for (const Column& column : table.columns) {
    const DatePart part = date_part_of(column.name);
    if (part != DatePart::none && found[static_cast<std::size_t>(part)] == nullptr) {
      found[static_cast<std::size_t>(part)] = &column;
    }
  }
  const auto [year, quarter, month, day, hour] = found;
  if (year == nullptr || (quarter == nullptr && month == nullptr)) return;
  std::vector<const Column*> parts{year};
  if (month == nullptr) {
    parts.push_back(quarter);
  } else {
    parts.push_back(month);
    if (day != nullptr) parts.push_back(day);
    if (day != nullptr && hour != nullptr) parts.push_back(hour);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!time_at(parts, row)) return;
  }
  std::string name;
  for (const Column* part : parts) name += (name.empty() ? "" : "+") + part->name;
  if (table.find(name) == nullptr) add_made_column(table, name);
}

}  // namespace cmanp::data

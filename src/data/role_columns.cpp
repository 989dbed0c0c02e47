#include "data/role_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "data/timestamp.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

[[noreturn]] void fail_missing(const DataTable& table, const Column& column) {
  const auto missing = std::find_if(column.values.begin(), column.values.end(), [](double v) { return std::isnan(v); });
  throw Error(fmt::format("{}: column {} is missing here, and {} places in all; every row needs one",
                          table.where(static_cast<std::size_t>(missing - column.values.begin())),
                          files::quote(column.name), column.missing));
}

}  // namespace

std::string group_name(const Column& column, double value) {
  switch (column.type) {
    case ColumnType::category:
      return column.categories[static_cast<std::size_t>(value)];
    case ColumnType::time:
      return format_timestamp(value);
    case ColumnType::number:
      break;
  }
  return fmt::format("{}", value);
}

void check_readable(const DataTable& table, const Column& column) {
  if (column.strays.count == 0) return;
  const Strays& strays = column.strays;
  throw Error(fmt::format("{}: column {}: {} {}", table.where(strays.row), files::quote(column.name),
                          files::quote(strays.field), strays.why));
}

std::string word_in(const Column& column) {
  double number = 0;
  const auto word = std::find_if_not(column.categories.begin(), column.categories.end(),
                                     [&](const std::string& text) { return parse_number(text, {}, number); });
  return word != column.categories.end() ? *word : column.categories.empty() ? "" : column.categories.front();
}

const Column& whole_column(const DataTable& table, const std::string& name) {
  const Column& column = table.column(name);
  check_readable(table, column);
  if (column.missing > 0) fail_missing(table, column);
  return column;
}

const Column& column_of_values(const DataTable& table, const std::string& name) {
  const Column& column = table.column(name);
  if (column.type != ColumnType::number) {
    throw Error(fmt::format(
        "{}: column {} holds {}, and cannot be a y", table.where(0), files::quote(name),
        column.type == ColumnType::time ? "times" : fmt::format("words, such as {}", files::quote(word_in(column)))));
  }
  check_readable(table, column);
  if (column.missing == table.rows()) {
    throw Error(fmt::format("{}: column {} has no values at all", table.where(0), files::quote(name)));
  }
  return column;
}

void check_roles(const DataTable& table, std::vector<std::string> names) {
  if (table.rows() == 0) throw Error(fmt::format("{}: the table has no rows", table.where(0)));
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error(
        fmt::format("column {} is named twice as group, x, y or also; each can be one of them", files::quote(*twice)));
  }
}

}  // namespace cmanp::data

#include "tables/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "base/missing.hpp"
#include "base/timestamp.hpp"
#include "files/quote.hpp"
#include "tables/fields.hpp"

namespace cmanp::tables {
namespace {

// What most fields look like: a number with nothing but blanks around it. Gives the end of the field, or null.
const char* parse_plain(const char* from, const char* end, char separator, double& value) {
  const auto [stop, error] = std::from_chars(skip_blanks(from, end, separator), end, value);
  if (error != std::errc()) return nullptr;
  const char* after = skip_blanks(stop, end, separator);
  return after == end || *after == separator ? after : nullptr;
}

}  // namespace

RowParser::RowParser(std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows, Reading reading)
    : name_(std::move(name)),
      dim_x_(dim_x),
      dim_y_(dim_y),
      rows_(rows),
      reading_(std::move(reading)),
      values_(dim_x + dim_y) {}

void RowParser::fail(std::uint64_t number, const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", name_, number, what));
}

void RowParser::read_header(std::string_view line, std::uint64_t number) {
  columns_ = match_columns(line, dim_x_, dim_y_, rows_, fmt::format("{}:{}", name_, number), reading_);
}

std::vector<std::string> RowParser::names() const {
  std::vector<std::string> names(dim_x_ + dim_y_);
  for (std::size_t column = 0; column < columns_.slots.size(); ++column) {
    if (columns_.slots[column] != kPassedOver) names[columns_.slots[column]] = columns_.names[column];
  }
  return names;
}

void RowParser::look_at_times(const std::filesystem::path& path) {
  const auto x = std::find(columns_.slots.begin(), columns_.slots.end(), std::size_t{0});
  order_ = day_order(path, columns_.separator, static_cast<std::size_t>(x - columns_.slots.begin()));
}

void RowParser::fail_without_header() const {
  throw Error(fmt::format("{}: empty: the first line must name the columns ({})", name_,
                          describe_columns(dim_x_, dim_y_, rows_)));
}

// What to do about a y that is missing.
std::string_view RowParser::hint(std::size_t slot) const {
  if (slot < dim_x_) return "";
  return rows_ == Rows::questions ? "; an empty field makes its row a question, and --skip-bad passes over such rows"
                                  : "; --missing skip leaves such rows out";
}

// A field that is no plain number: in quotes, with a plus sign, a time, or empty.
bool RowParser::parse_odd(std::string_view field, std::size_t column, std::uint64_t number) {
  const std::size_t slot = columns_.slots[column];
  const std::string_view text = unquote(field);
  const std::errc error = parse_number(field, columns_.separator, values_[slot]);
  if (base::is_missing(text)) {
    values_[slot] = 0;
    if (rows_ == Rows::questions && slot >= dim_x_) return false;
    if (reading_.missing == Missing::skip && slot >= dim_x_) {
      is_missing_ = true;
      return true;
    }
    fail(number, fmt::format("column {}: {}{}", files::quote(columns_.names[column]),
                             text.empty() ? "empty" : fmt::format("nothing but {}", files::quote(text)), hint(slot)));
  }
  if (error == std::errc()) return true;
  if (slot < dim_x_) {
    if (const auto time = base::parse_timestamp(text, order_)) {
      values_[slot] = time->seconds;
      has_times_ = true;
      return true;
    }
  }
  fail(number, fmt::format("column {}: {} {}", files::quote(columns_.names[column]), files::quote(text),
                           why_no_time(slot < dim_x_ ? text : std::string_view(), error)));
}

bool RowParser::parse_fields(std::string_view line, std::uint64_t number) {
  const char* const end = line.data() + line.size();
  const std::size_t width = columns_.slots.size();
  std::size_t column = 0;
  std::size_t empty = 0;  // y fields without a number
  for (const char* from = line.data();; ++column) {
    if (column == width) {
      fail(number, fmt::format("{} fields, the header has {}",
                               1 + std::count(line.begin(), line.end(), columns_.separator), width));
    }
    const std::size_t slot = columns_.slots[column];
    if (slot == kPassedOver) {
      const char* stop = field_end(from, end, columns_.separator);
      if (stop == end) break;
      from = stop + 1;
      continue;
    }
    double& value = values_[slot];
    const char* stop = parse_plain(from, end, columns_.separator, value);
    if (stop == nullptr) {
      stop = field_end(from, end, columns_.separator);
      if (!parse_odd({from, static_cast<std::size_t>(stop - from)}, column, number)) ++empty;
    }
    if (std::isnan(value) && reading_.missing == Missing::skip && slot >= dim_x_) {
      is_missing_ = true;
      value = 0;
    }
    if (!std::isfinite(value))
      fail(number, fmt::format("column {}: not a finite number{}", files::quote(columns_.names[column]),
                               std::isnan(value) ? hint(slot) : ""));
    if (stop == end) break;
    from = stop + 1;
  }
  ++column;
  // Tabs at the end of a line went with its blanks: the fields behind them are empty.
  for (; columns_.separator == '\t' && column < width; ++column) {
    if (columns_.slots[column] != kPassedOver && !parse_odd({}, column, number)) ++empty;
  }
  const bool only_x = rows_ == Rows::questions && columns_.x_first && column == dim_x_;
  if (column != width && !only_x) fail(number, fmt::format("{} fields, the header has {}", column, width));
  if (empty != 0 && empty != dim_y_) fail(number, "some y are empty: a point has all of them, a question none");
  return !only_x && empty == 0 && columns_.has_y;
}

Row RowParser::parse(std::string_view line, std::uint64_t number) {
  is_missing_ = false;
  const bool is_point = parse_fields(line, number);
  const std::span<const double> values(values_);
  return {values.first(dim_x_), is_point ? values.subspan(dim_x_) : std::span<const double>(), number, is_missing_};
}

CsvReader::CsvReader(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows,
                     const Reading& reading)
    : lines_(path), parser_(lines_.name(), dim_x, dim_y, rows, reading) {
  read_header();
  if (std::filesystem::is_regular_file(path)) parser_.look_at_times(path);
}

CsvReader::CsvReader(int descriptor, std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows)
    : lines_(descriptor, std::move(name)), parser_(lines_.name(), dim_x, dim_y, rows) {
  read_header();
}

void CsvReader::read_header() {
  std::string_view header;
  if (!next_header(lines_, header)) parser_.fail_without_header();
  if (header.starts_with("\x1f\x8b")) {
    throw Error(fmt::format("{}: compressed by gzip; `zcat {} | cmanp …` with - in its place reads it", lines_.name(),
                            lines_.name()));
  }
  parser_.read_header(header, lines_.line());
}

bool CsvReader::next(Row& row) {
  std::string_view line;
  while (lines_.next(line)) {
    row = parser_.parse(line, lines_.line());
    if (!row.missing) return true;
    ++skipped_;
  }
  return false;
}

Table read_table(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows,
                 const Reading& reading) {
  CsvReader reader(path, dim_x, dim_y, rows, reading);
  Table table;
  for (Row row; reader.next(row); ++table.rows) {
    table.x.insert(table.x.end(), row.x.begin(), row.x.end());
    table.y.insert(table.y.end(), row.y.begin(), row.y.end());
  }
  table.skipped = reader.skipped();
  table.times = reader.has_times();
  table.names = reader.names();
  return table;
}

}  // namespace cmanp::tables

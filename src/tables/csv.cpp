#include "tables/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/missing.hpp"
#include "base/timestamp.hpp"
#include "files/quote.hpp"

namespace cmanp::tables {
namespace {

// A tab is a blank only where it does not part fields.
const char* skip_blanks(const char* from, const char* end, char separator) {
  while (from != end && *from != separator && (*from == ' ' || *from == '\t')) ++from;
  return from;
}

// What most fields look like: a number with nothing but blanks around it. Gives the end of the field, or null.
const char* parse_plain(const char* from, const char* end, char separator, double& value) {
  const auto [stop, error] = std::from_chars(skip_blanks(from, end, separator), end, value);
  if (error != std::errc()) return nullptr;
  const char* after = skip_blanks(stop, end, separator);
  return after == end || *after == separator ? after : nullptr;
}

// The end of any field: what is in quotes does not part it.
const char* find_end(const char* from, const char* end, char separator) {
  const char* start = skip_blanks(from, end, separator);
  if (start != end && *start == '"') {
    const char* close = std::find(start + 1, end, '"');
    while (close != end && close + 1 != end && close[1] == '"') close = std::find(close + 2, end, '"');
    if (close != end) from = close;
  }
  return std::find(from, end, separator);
}

// The same number with a decimal point.
std::string with_point(std::string_view text) {
  std::string number(text);
  const std::size_t comma = number.find(',');
  if (comma != std::string::npos) number[comma] = '.';
  return number;
}

std::string_view field_at(std::string_view line, char separator, std::size_t column) {
  const char *from = line.data(), *const end = line.data() + line.size();
  for (;; --column) {
    const char* stop = find_end(from, end, separator);
    if (column == 0) return unquote({from, static_cast<std::size_t>(stop - from)});
    if (stop == end) return {};
    from = stop + 1;
  }
}

// Unknown where they do not tell, or are no such times.
base::DayOrder order_of_times(LineReader& lines, char separator, std::size_t column) {
  using base::DayOrder;
  std::vector<DayOrder> left{DayOrder::day_first, DayOrder::month_first, DayOrder::year_first};
  for (std::string_view line; left.size() > 1 && lines.next(line);) {
    const std::string_view field = field_at(line, separator, column);
    if (base::is_missing(field)) continue;
    double number = 0;
    if (parse_number(field, number) == std::errc() || base::parse_timestamp(field)) return DayOrder::unknown;
    std::vector<DayOrder> fitting;
    std::copy_if(left.begin(), left.end(), std::back_inserter(fitting),
                 [&](DayOrder order) { return base::parse_timestamp(field, order).has_value(); });
    if (!fitting.empty()) left = std::move(fitting);  // else it is a bad field, and refused when it is read
  }
  return left.size() == 1 ? left.front() : DayOrder::unknown;
}

bool next_header(LineReader& lines, std::string_view& header) {
  do {
    if (!lines.next(header)) return false;
  } while (header.starts_with('#'));  // remarks
  return true;
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
  LineReader lines(path);
  std::string_view line;
  if (!next_header(lines, line)) return;
  try {
    order_ = order_of_times(lines, columns_.separator, static_cast<std::size_t>(x - columns_.slots.begin()));
  } catch (const LineTooLong&) {  // whoever reads the rows says so
  }
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
  std::errc error = parse_number(field, values_[slot]);
  if (error != std::errc() && columns_.separator != ',') error = parse_number(with_point(text), values_[slot]);
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
  const bool ambiguous = slot < dim_x_ && (base::parse_timestamp(text, base::DayOrder::day_first) ||
                                           base::parse_timestamp(text, base::DayOrder::month_first));
  fail(number, fmt::format("column {}: {} {}", files::quote(columns_.names[column]), files::quote(text),
                           error == std::errc::result_out_of_range ? "is too large or too small"
                           : ambiguous ? "does not say whether the day or the month comes first: write it as 2024-05-31"
                                       : "is not a number"));
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
      const char* stop = find_end(from, end, columns_.separator);
      if (stop == end) break;
      from = stop + 1;
      continue;
    }
    double& value = values_[slot];
    const char* stop = parse_plain(from, end, columns_.separator, value);
    if (stop == nullptr) {
      stop = find_end(from, end, columns_.separator);
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

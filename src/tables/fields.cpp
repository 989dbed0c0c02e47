#include "tables/fields.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/missing.hpp"
#include "tables/csv_columns.hpp"

namespace cmanp::tables {
namespace {

std::string_view field_at(std::string_view line, char separator, std::size_t column) {
  const char *from = line.data(), *const end = line.data() + line.size();
  for (;; --column) {
    const char* stop = field_end(from, end, separator);
    if (column == 0) return unquote({from, static_cast<std::size_t>(stop - from)});
    if (stop == end) return {};
    from = stop + 1;
  }
}

base::DayOrder day_order(LineReader& lines, char separator, std::size_t column) {
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

}  // namespace

// A name with a comma in it is likelier than one with a semicolon.
char separator_of(std::string_view header) {
  char best = ',';
  std::size_t most = 0;
  for (const char separator : {';', ',', '\t'}) {
    std::size_t count = 0;
    bool inside = false;
    for (const char c : header) {
      inside ^= c == '"';
      count += c == separator && !inside ? 1 : 0;
    }
    if (count > most) best = separator;
    most = std::max(most, count);
  }
  return best;
}

const char* skip_blanks(const char* from, const char* end, char separator) {
  while (from != end && *from != separator && (*from == ' ' || *from == '\t')) ++from;
  return from;
}

const char* field_end(const char* from, const char* end, char separator) {
  const char* start = skip_blanks(from, end, separator);
  if (start != end && *start == '"') {
    const char* close = std::find(start + 1, end, '"');
    while (close != end && close + 1 != end && close[1] == '"') close = std::find(close + 2, end, '"');
    if (close != end) from = close;
  }
  return std::find(from, end, separator);
}

std::errc parse_number(std::string_view field, char separator, double& value) {
  const std::errc error = parse_number(field, value);
  if (error == std::errc() || separator == ',') return error;
  std::string number(field);
  const std::size_t comma = number.find(',');
  if (comma != std::string::npos) number[comma] = '.';
  return parse_number(number, value);
}

std::string_view why_no_time(std::string_view text, std::errc error) {
  if (error == std::errc::result_out_of_range) return "is too large or too small";
  const bool ambiguous = base::parse_timestamp(text, base::DayOrder::day_first) ||
                         base::parse_timestamp(text, base::DayOrder::month_first);
  return ambiguous ? "does not say whether the day or the month comes first: write it as 2024-05-31"
                   : "is not a number";
}

bool next_header(LineReader& lines, std::string_view& header) {
  do {
    if (!lines.next(header)) return false;
  } while (header.starts_with('#'));
  return true;
}

base::DayOrder day_order(const std::filesystem::path& path, char separator, std::size_t column) {
  LineReader lines(path);
  std::string_view line;
  if (!next_header(lines, line)) return base::DayOrder::unknown;
  try {
    return day_order(lines, separator, column);
  } catch (const LineTooLong&) {  // whoever reads the rows says so
    return base::DayOrder::unknown;
  }
}

}  // namespace cmanp::tables

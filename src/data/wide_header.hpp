// Tables with a row for each series: the first columns say which series it is, and the others' names are times, such as
// 1960, 1961, …, 2024-01, 2024-02, …, or steps such as d_1, d_2, …. They are read as if every field had a row of its
// own: the series' columns, then the time, then the value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmanp::data {

struct WideHeader {
  std::vector<std::string> names;   // of the columns that the table is read as
  std::size_t leading = 0;          // columns that say which series a row is
  bool series = false;              // whether behind them comes one made of them all, which tells rows apart
  std::vector<std::string> places;  // of the others: their times or steps, as fields
  std::string first, last;          // the names of the first of these and of the last

  // A row of the file as the fields of a row of the table but for the last two, time and value.
  std::vector<std::string> leading_fields(const std::vector<std::string_view>& row) const;
};

// `next_line`: the line behind the header. d_1, d_2, … may well be columns of a row that is no series; they are taken
// for steps only where there are many, behind a name in the first column.
std::optional<WideHeader> find_wide(const std::vector<std::string_view>& header, std::string_view next_line);

}  // namespace cmanp::data

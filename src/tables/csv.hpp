// Tables of observations: CSV with a header that names the columns, read row by row from a file or a pipe, parsed in
// place in one fixed buffer. Columns are x or x1,x2,…, and y or y1,y2,…, in any order; others are refused by name.
// CRLF, a UTF-8 byte-order mark, blank lines, blanks around fields, quotes around a whole field and a missing final
// newline are fine. NaN, infinities, text, uneven rows are refused with file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/csv_columns.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::tables {

struct Row {
  std::span<const double> x;
  std::span<const double> y;  // empty for a question or a table without y
  std::uint64_t line = 0;     // 1-based, the header is line 1
};

class CsvReader {
 public:
  // `path` "-" is standard input. Reads the header; throws Error ("file:line: …") if a column is missing or unknown.
  CsvReader(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows);
  // The same from an open descriptor, not closed at the end.
  CsvReader(int descriptor, std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows);

  // The next row, or false at the end. Spans stay valid until the next call. Blocks only when the buffer holds no
  // complete row.
  bool next(Row& row);

  // Whether next() can answer without waiting for input.
  bool buffered() const { return lines_.buffered(); }

  const std::string& name() const { return lines_.name(); }
  bool has_y() const { return columns_.has_y; }
  std::uint64_t bytes_read() const { return lines_.bytes_read(); }

 private:
  void read_header();
  bool parse(std::string_view line);  // into values_; false for a question

  LineReader lines_;
  std::size_t dim_x_ = 0;
  std::size_t dim_y_ = 0;
  Rows rows_ = Rows::points;
  Columns columns_;
  std::vector<double> values_;  // [dim_x + dim_y], x first
};

// A whole table in memory, for targets and small contexts. Rows of x and of y, one after the other; y is empty where
// the table has none.
struct Table {
  std::vector<double> x;
  std::vector<double> y;
  std::size_t rows = 0;
};

Table read_table(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows);

}  // namespace cmanp::tables

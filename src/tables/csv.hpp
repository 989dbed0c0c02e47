// Tables of observations: CSV with a header that names the columns, read row by row from a file or a pipe, parsed in
// place in one fixed buffer. Columns are x or x1,x2,…, and y or y1,y2,…, in any order; others are refused by name,
// unless it is said which to read. Tabs or semicolons may part them; numbers may then have decimal commas. CRLF, a
// UTF-8 byte-order mark, blank lines, blanks around fields, quotes around a whole field and a missing final newline are
// fine, and so are ISO 8601 times in the place of an x. NaN, infinities, text, uneven rows are refused with file, line
// and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.hpp"
#include "tables/csv_columns.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::tables {

struct Row {
  std::span<const double> x;
  std::span<const double> y;  // empty for a question or a table without y
  std::uint64_t line = 0;     // 1-based, the header is line 1
  bool missing = false;       // a point without all of its y, where those are skipped
};

// Rows out of lines of text, wherever those come from. Errors begin with `name` and the line's number.
class RowParser {
 public:
  RowParser(std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows, Reading reading = {});

  // The line that names the columns, before any row. Throws Error if one is missing or unknown.
  void read_header(std::string_view line, std::uint64_t number);
  [[noreturn]] void fail_without_header() const;

  // Of a file that can be read twice: which of day, month and year comes first in its times, by all of them.
  void look_at_times(const std::filesystem::path& path);

  // Spans stay valid until the next call.
  Row parse(std::string_view line, std::uint64_t number);

  const std::string& name() const { return name_; }
  bool has_y() const { return columns_.has_y; }
  std::vector<std::string> names() const;        // of the columns that are read: x, then y; empty where there is none
  bool has_times() const { return has_times_; }  // in x, so far: as seconds since 1970

 private:
  bool parse_fields(std::string_view line, std::uint64_t number);  // into values_; false for a question
  std::string_view hint(std::size_t slot) const;
  bool parse_odd(std::string_view field, std::size_t column, std::uint64_t number);  // the same of one; false: empty
  [[noreturn]] void fail(std::uint64_t number, const std::string& what) const;

  std::string name_;
  std::size_t dim_x_;
  std::size_t dim_y_;
  Rows rows_;
  Reading reading_;
  Columns columns_;
  std::vector<double> values_;  // [dim_x + dim_y], x first
  bool is_missing_ = false;     // a y of the row at hand
  bool has_times_ = false;
  base::DayOrder order_ = base::DayOrder::unknown;
};

class CsvReader {
 public:
  // `path` "-" is standard input. Reads the header; throws Error ("file:line: …") if a column is missing or unknown.
  CsvReader(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows,
            const Reading& reading = {});
  // The same from an open descriptor, not closed at the end.
  CsvReader(int descriptor, std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows);

  // The next row, or false at the end. Spans stay valid until the next call. Blocks only when the buffer holds no
  // complete row.
  bool next(Row& row);

  // Whether next() can answer without waiting for input.
  bool buffered() const { return lines_.buffered(); }

  const std::string& name() const { return lines_.name(); }
  bool has_y() const { return parser_.has_y(); }
  bool has_times() const { return parser_.has_times(); }
  std::vector<std::string> names() const { return parser_.names(); }
  std::uint64_t skipped() const { return skipped_; }  // points without a y
  std::uint64_t bytes_read() const { return lines_.bytes_read(); }

 private:
  void read_header();

  LineReader lines_;
  RowParser parser_;
  std::uint64_t skipped_ = 0;
};

// A whole table in memory, for targets and small contexts. Rows of x and of y, one after the other; y is empty where
// the table has none.
struct Table {
  std::vector<double> x;
  std::vector<double> y;
  std::size_t rows = 0;
  std::uint64_t skipped = 0;            // points without a y
  bool times = false;                   // x are seconds since 1970, and were ISO 8601 in the file
  std::vector<std::string> names = {};  // of the columns: x, then y
};

Table read_table(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows,
                 const Reading& reading = {});

}  // namespace cmanp::tables

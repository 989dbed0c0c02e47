// Which column of a table is which coordinate, from the table's header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cmanp::tables {

// Which of a row's numbers must be there.
enum class Rows {
  points,     // x and y in every row
  targets,    // x only is needed; y columns may be absent or, as long as they are numbers, present
  questions,  // a row whose y fields are all empty, or that ends after the x columns, is a question
};

struct Columns {
  std::vector<std::size_t> slots;  // of each column: 0 … dim_x - 1 for x, from dim_x on for y
  std::vector<std::string> names;  // as the header spells them
  bool has_y = false;
  bool x_first = false;  // every x column stands before every y column
};

// Where no name is a coordinate and there are as many columns as needed, their order decides: data have names of their
// own. `where` begins the message of the Error that is thrown if a column is missing, unknown or there twice.
Columns match_columns(std::string_view header, std::size_t dim_x, std::size_t dim_y, Rows rows,
                      const std::string& where);

// "x, y" or "x1, x2, y", and whether y may be left out: what a header must name, for messages.
std::string describe_columns(std::size_t dim_x, std::size_t dim_y, Rows rows);

// Without blanks at either end.
std::string_view trim(std::string_view text);

// A field without blanks and quotes around it.
std::string_view unquote(std::string_view field);

// A field as a number, which need not be finite: quotes around it and a plus sign before it are fine.
std::errc parse_number(std::string_view field, double& value);

}  // namespace cmanp::tables

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
  targets,    // x only; y columns may be there and hold anything
  questions,  // a row whose y fields are all empty, or that ends after the x columns, is a question
};

// What becomes of a point with a y that is empty or NaN, where there must be one.
enum class Missing { refuse, skip };

// What is read of a table.
struct Reading {
  Missing missing = Missing::refuse;
  std::vector<std::string> x = {}, y = {};  // the columns' names; others are passed over then
};

constexpr std::size_t kPassedOver = static_cast<std::size_t>(-1);

struct Columns {
  std::vector<std::size_t> slots;  // of each column: 0 … dim_x - 1 for x, from dim_x on for y; or kPassedOver
  std::vector<std::string> names;  // as the header spells them
  char separator = ',';            // or a tab or semicolon, where the header has no comma
  bool has_y = false;
  bool x_first = false;  // every x column stands before every y column
};

// By the names that are wanted. Where none are, and no name is a coordinate, and there are as many columns as needed,
// their order decides: data have names of their own. `where` begins the message of the Error that is thrown if a column
// is missing, unknown or there twice.
Columns match_columns(std::string_view header, std::size_t dim_x, std::size_t dim_y, Rows rows,
                      const std::string& where, const Reading& reading = {});

// "x, y" or "x1, x2, y", and whether y may be left out: what a header must name, for messages.
std::string describe_columns(std::size_t dim_x, std::size_t dim_y, Rows rows);

// Without blanks at either end.
std::string_view trim(std::string_view text);

// A field without blanks and quotes around it.
std::string_view unquote(std::string_view field);

// A field as a number, which need not be finite: quotes around it and a plus sign before it are fine.
std::errc parse_number(std::string_view field, double& value);

}  // namespace cmanp::tables

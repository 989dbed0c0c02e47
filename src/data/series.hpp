// Series out of a table: for every group and every column of values, the values that are there along x, ascending. A
// group without a value in a column has no series there; what is missing is left out, never filled in.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "data/data_table.hpp"
#include "data/known_columns.hpp"
#include "data/roles.hpp"

namespace cmanp::data {

struct Series {
  std::string group;                 // as the table has it; empty without a column of groups
  std::string y;                     // the column
  Values x, values;                  // x ascends strictly; parts of a packed file where that is possible
  std::vector<double> missing = {};  // x of rows without a value, ascending
  // What is known besides, as inputs, of points and of rows without a value. [row][SeriesSet::known]
  std::vector<float> known = {}, known_of_missing = {};
  std::size_t column = 0;  // its place among the columns of values
};

struct SeriesSet {
  std::vector<Series> series;  // groups in order of appearance, then columns as named
  double step = 1;             // between neighbours, typically
  Calendar calendar;           // what x are
  std::vector<KnownColumn> known = {};
  std::shared_ptr<const files::Safetensors> packed = {};  // what series are parts of, where they are

  // Throws Error where the packed file was changed since it was opened.
  void check_unchanged() const {
    if (packed) packed->check_unchanged();
  }
  std::size_t merged = 0;          // rows whose x another row of their group has: such values are averaged
  std::size_t without_x = 0;       // rows whose x is missing: left out
  std::size_t without_values = 0;  // groups by columns that have none: there is no series
};

// Throws Error with file and line where a group is missing, or an x of more than one row in twenty, a column has no
// values at all or two roles, or more than one row in twenty has the x of another: then the groups are not told apart;
// or where a row with a value lacks what is known besides.
SeriesSet series_of(const DataTable& table, const Roles& roles, std::vector<KnownColumn> known = {});

// What such steps usually have (Calendar), where the values show it: days of shops have weeks, days of weather have
// none.
std::string usual_seasons(const SeriesSet& set);

// "24,168" as numbers of steps, ascending; nothing of "none". Throws Error.
std::vector<double> parse_seasons(const std::string& text);

// "24,168" as its entries, without blanks around them; nothing of "".
std::vector<std::string> split_list(const std::string& text);

}  // namespace cmanp::data

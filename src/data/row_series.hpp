// Tables with several x: rows that lie nowhere along a line, each a point of a function of all of its x. For every
// group and every column of values, a series over the rows' numbers; the x themselves are inputs, as columns that are
// known besides are.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"
#include "data/known_columns.hpp"
#include "data/parts.hpp"
#include "data/series.hpp"

namespace cmanp::data {

struct RowRoles {
  std::string group = {};
  std::vector<std::string> x = {}, y = {};
};

// A row as points of the series of its group, appended to each: `values[column]`, NaN where it is missing.
class RowAppender {
 public:
  // `known` are all inputs, x and others. Throws Error where a column of theirs, or of the group, is not there.
  RowAppender(const DataTable& table, const std::string& group, const std::vector<KnownColumn>& known);

  std::string group(std::size_t row) const;
  // Throws Error with file and line where an input is missing that never was, or is of no known word.
  void append(std::size_t row, double number, double value, Series& series) const;

 private:
  const Column* group_;
  KnownReader known_;
};

// Groups in order of appearance, then columns as named. Throws as series_of does.
SeriesSet row_series_of(const DataTable& table, const RowRoles& roles, std::vector<KnownColumn> known);

// Which rows are trained on: what units are found by.
std::vector<bool> training_rows(const DataTable& table, const std::string& group, const std::string& parts,
                                double test_share, std::uint64_t seed);

}  // namespace cmanp::data

// The doctor: what a table holds, and what in it would trouble whoever learns from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/calendar.hpp"
#include "data/data_table.hpp"
#include "data/roles.hpp"

namespace cmanp::data {

struct ColumnReport {
  std::string name;
  ColumnType type = ColumnType::number;
  std::uint64_t missing = 0;  // but for strays
  std::uint64_t distinct = 0;
  bool dates = false;                          // of a category: its words are mostly such as 5/6/2024
  std::string stray_word = {};                 // ... are numbers but for such
  double lowest = 0, median = 0, highest = 0;  // where anything is there; of categories nothing
  Strays strays = {};
  std::string first_stray = {};  // "file:line"
  std::uint64_t outliers = 0;    // beyond ten robust deviations from their group's median
};

struct SeriesReport {
  std::uint64_t groups = 0;
  std::uint64_t shortest = 0, median_length = 0, longest = 0;  // in rows
  std::uint64_t single_rows = 0;                               // groups of one row
  double step = 0;                                             // between neighbours, typically, as the calendar has it
  Calendar calendar;                                           // what x are
  std::uint64_t gaps = 0;                                      // steps of more than one and a half times that
  double largest_gap = 0;
  std::uint64_t duplicates = 0;                     // rows with the x of another of their group
  std::uint64_t out_of_order = 0;                   // rows with an x below that of the row before in their group
  std::string first_duplicate, first_out_of_order;  // "file:line"
};

struct TableReport {
  std::uint64_t rows = 0;
  Roles roles;
  std::vector<std::string> several_x;  // where rows have no order along one x: what they may be told apart by
  std::vector<ColumnReport> columns;
  SeriesReport series;              // by roles.group and roles.x
  std::vector<std::string> advice;  // in words, the gravest first
  std::string obstacle;             // why no model can be trained on it as it is; empty: one can
};

// All there is to say; throws as find_roles does. `several_x`: told, instead of an x.
TableReport check_table(const DataTable& table, const Roles& roles = {},
                        const std::vector<std::string>& several_x = {});

}  // namespace cmanp::data

// Rows of groups, and what columns hold: for those who look at a table as a whole.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

// What is not missing.
std::vector<double> present(const Column& column);

// How many values there are that differ.
std::size_t distinct(const Column& column);

// Of values that may change their order.
double median_of(std::vector<double>& values);

// Rows by group, each group's in the order of the file.
std::vector<std::size_t> rows_by_group(const DataTable& table, const Column* group);
bool same_group(const Column* group, std::size_t a, std::size_t b);

bool is_in(const std::string& name, const std::vector<std::string>& names);

}  // namespace cmanp::data

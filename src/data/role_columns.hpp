// Columns of a table by what they are for: whatever cannot be that is refused, with file and line.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

// One of which no row lacks a value.
const Column& whole_column(const DataTable& table, const std::string& name);

// One of numbers, some of which are there.
const Column& column_of_values(const DataTable& table, const std::string& name);

// A group as the table writes it.
std::string group_name(const Column& column, double value);

// Throws Error where the table has no rows, or a column is two things at once.
void check_roles(const DataTable& table, std::vector<std::string> names);

}  // namespace cmanp::data

// Columns of a table by what they are for: whatever cannot be that is refused, with file and line.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

// Throws Error where a field of it could not be read, with file and line.
void check_readable(const DataTable& table, const Column& column);

// Of a column of words: one that is no number, if any is.
std::string word_in(const Column& column);

// One of which no row lacks a value.
const Column& whole_column(const DataTable& table, const std::string& name);

// One of numbers, some of which are there, and all others are missing.
const Column& column_of_values(const DataTable& table, const std::string& name);

// A group as the table writes it.
std::string group_name(const Column& column, double value);

// Throws Error where the table has no rows, or a column is two things at once.
void check_roles(const DataTable& table, std::vector<std::string> names);

}  // namespace cmanp::data

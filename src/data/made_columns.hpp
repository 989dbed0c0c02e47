// Columns that no file has, made of those that it has, by their names: "rows" counts the rows from 1; "year+month",
// "year+quarter", "year+month+day", "date+time" and "date+hour" are times; "region+kind" tells by two columns apart
// what one does not.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

inline constexpr const char* kRows = "rows";

// What a column of this name would be made of: nothing for rows. False: none of that name can be made.
bool can_be_made(const std::string& name, const std::vector<std::string>& columns, std::vector<std::string>& parts);

// Made of columns that the table has; throws Error where they do not hold what their names say.
void add_made_column(DataTable& table, const std::string& name);

// "year+month" and the like where there are such columns that fit together, and no time; "date+time" where dates come
// again, and nothing else is a time; and "rows" where there is nothing but one column of numbers.
void add_usual_columns(DataTable& table);

// Words that are such as 18:30, but for a few mistakes.
bool holds_clocks(const Column& column);

// The columns that a time is made of; none where the file has it.
std::vector<std::string> made_time_of(const DataTable& table, const std::string& name);

// Tells the reader so; empty where the file has it.
std::string about_made_time(const DataTable& table, const std::string& name);

}  // namespace cmanp::data

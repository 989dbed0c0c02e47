// What the columns of a table are for: told, or found by looking.
#pragma once

#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

// As the name of the group, where no column is called so: there is none.
inline constexpr const char* kNoGroup = "none";

// Which column is for what. Empty: found by looking.
struct Roles {
  std::string group = {};  // a series, a station, a patient: what makes one task
  std::string x = {};      // along what the values lie
  std::vector<std::string> y = {};
};

// What the table's columns are for: `roles`, and by looking where they do not say, but for those that are taken for
// something else. Throws Error where a column that is named is not there or of a wrong type.
Roles find_roles(const DataTable& table, const Roles& roles = {}, const std::vector<std::string>& taken = {});

// Says what to do where no column looks like an x.
[[noreturn]] void fail_without_x(const DataTable& table);

// The same where no numbers are left to be a y: what could not be read as numbers.
[[noreturn]] void fail_without_y(const DataTable& table, const Roles& roles);

// Where nothing is a time: the two of a place on a map; or, where nothing looks like one x, all numbers but those of
// y, which is the last where nobody says. Empty: rows have an order along one x.
std::vector<std::string> find_several_x(const DataTable& table, const Roles& roles, bool knows_y);

// What to tell whoever wrote 05/06/2024.
std::string about_ambiguous_dates(const std::string& column);

}  // namespace cmanp::data

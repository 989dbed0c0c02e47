// A table in one binary file, column by column, its rows by group and x: mapped where it is large, so that series of it
// are parts of the file. docs/packed-tables.md has the format.
#pragma once

#include <filesystem>

#include "data/data_table.hpp"
#include "data/roles.hpp"

namespace cmanp::data {

// Whether a file says of itself that it is one.
bool is_packed_table(const std::filesystem::path& path);

// Throws Error that names the file where it is not whole, or holds what no table can.
DataTable open_packed_table(const std::filesystem::path& path, const TableOptions& options = {});

// Rows go by the columns of group and x, where these are named; in files aside where they are in another order.
void pack_table(const DataTable& table, const Roles& roles, const std::filesystem::path& path);

}  // namespace cmanp::data

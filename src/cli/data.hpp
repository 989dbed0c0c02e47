// `cmanp data`: what else than pictures it knows.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cmanp::cli {

void add_data_check(CLI::App& data);

// Checks a flag: NAME:TYPE of a column.
std::string check_column_type(const std::string& told);

struct TablePackOptions {
  std::vector<std::string> files;
  std::string output, group, x;    // columns; empty: found by looking
  std::vector<std::string> types;  // NAME:TYPE
  bool json = false;
};

void pack_table(const TablePackOptions& options);

}  // namespace cmanp::cli

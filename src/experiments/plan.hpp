// A table or figure of a paper as a plan, a JSON file: which commands make each of its rows, with which budgets, and
// what the paper has there. Nothing in a plan is code; docs/reproduce.md has the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cmanp::experiments {

using Words = std::vector<std::string>;
using Values = std::map<std::string, std::string>;  // what a {name} in a command stands for

struct PublishedValue {
  double mean = 0;
  std::optional<double> deviation;
};

// A row, by its name in the folder and its title in the table.
struct Row {
  std::string name, title;
  Values values;
  std::map<std::string, PublishedValue> paper;  // by the column's title
  std::string left_out;                         // why it is not run; empty: it is
};

// Where a column's number stands in what the last command prints: in the result with these fields.
struct Column {
  std::string title, field;
  nlohmann::ordered_json where;
};

struct Budget {
  std::optional<std::int64_t> steps;
  std::optional<double> minutes;
  std::int64_t seeds = 1;
  Values values;
};

// Results as curves: one for each value of `series`.
struct Figure {
  std::string x, y, series, x_label, y_label;
  bool log_x = false, log_y = false;
};

struct Plan {
  std::string name;  // the file's
  std::string title, claim, measure;
  bool higher_is_better = true;
  std::vector<Words> commands;               // words may hold {name}
  std::map<std::string, std::string> needs;  // data that the user names, and where to get them
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::map<std::string, Budget> budgets;
  std::optional<Figure> figure;
};

inline const std::vector<std::string> kBudgets = {"smoke", "hour", "night", "paper"};

// Throws Error that names the file and what is wrong in it: unknown keys, a row that stands twice, a {name} that
// nothing gives a value to, a missing budget.
Plan read_plan(const std::filesystem::path& path);

// All *.json of a folder, by name.
std::vector<Plan> read_plans(const std::filesystem::path& folder);

}  // namespace cmanp::experiments

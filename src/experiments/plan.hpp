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

// Of a job. With `each`, the name of a value that is a list with commas between, it is run for every one of them.
struct Command {
  Words words;  // may hold {name}
  std::string each;
};

bool trains(const Command& command);  // for as long as the budget says

// A row, by its name in the folder and its title in the table.
struct Row {
  std::string name, title;
  Values values;
  std::string trained;                          // item/row of another plan, whose run is this one's; empty: its own
  double share = 1;                             // of a budget's minutes
  std::map<std::string, std::int64_t> seeds;    // by budget, instead of the budget's own
  std::map<std::string, PublishedValue> paper;  // by the column's title
  std::string left_out;                         // why it is not run; empty: it is
};

// Among the lines of JSON that a command of the plan prints, those that have these fields.
struct Lines {
  std::size_t command = 0;
  nlohmann::ordered_json where;
};

// A number of a row: `field` of the first of its lines, or of that with the most (least) of another field; or the power
// of that other field with which it grows over the upper half of the range, what is below `at_least` taken as that: it
// cannot be measured.
enum class Pick { first, most, least, power };

struct Column {
  std::string title, field;
  Lines lines;
  Pick pick = Pick::first;
  std::string over;  // the other field
  double at_least = 0;
  double times = 1;         // for another unit
  int digits = 2;           // after the point
  bool other_unit = false;  // the paper's numbers are in one of their own, so that no difference is taken
  std::optional<bool> higher_is_better = {};  // where one number is better than another
};

// What no method can exceed on a table's tasks, such as an exact answer: `field` stands beside every result in the
// lines that columns read, and is a row of its own.
struct Limit {
  std::string title, field;
};

struct Budget {
  std::optional<std::int64_t> steps;
  std::optional<double> minutes;
  std::int64_t seeds = 1;
  Values values;
};

// Results as curves: one for each value of `series`, or of its fields together where it has several.
struct Figure {
  std::string title, x, y, x_label, y_label;
  Words series;
  Lines lines;
  bool log_x = false, log_y = false;
};

// A picture that a job's commands leave in its folder.
struct Picture {
  std::string file, title;
};

// What the paper says, as a comparison of two numbers of the table: of this row and column, which has to be below (or
// above) `bound` times that of the other, or `bound` itself where there is no other.
struct Claim {
  std::string says, row, column;
  bool below = true;
  double bound = 1;
  std::string other_row, other_column;
};

struct Plan {
  std::string name;  // the file's
  std::filesystem::path folder;
  std::string title, claim, measure;
  int place = 0;         // among the others: plans with smaller numbers come first
  bool compact = false;  // its table has one column a number, the paper's in parentheses
  Values values;         // before those of rows and budgets
  std::vector<Command> commands;
  std::map<std::string, std::string> needs;  // data that the user names, and where to get them
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<Limit> limits;
  std::map<std::string, Budget> budgets;
  std::vector<Figure> figures;
  std::vector<Picture> pictures;
  std::vector<Claim> claims;
};

std::string file_of(const Plan& plan);  // for messages

inline const std::vector<std::string> kBudgets = {"smoke", "hour", "night", "paper"};

// Throws Error that names the file and what is wrong in it: unknown keys, a row that stands twice, a {name} that
// nothing gives a value to, a missing budget, a claim about a row or column that there is not.
Plan read_plan(const std::filesystem::path& path);

// All *.json of a folder, by place, then by name. Throws Error, too, where a row needs the run of one that there is
// not.
std::vector<Plan> read_plans(const std::filesystem::path& folder);

}  // namespace cmanp::experiments

// cmanp data check: what a table holds, and what in it would trouble whoever learns from it.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/data.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "data/check.hpp"
#include "data/timestamp.hpp"
#include "files/shell_word.hpp"

namespace cmanp::cli {
namespace {

using nlohmann::ordered_json;

struct CheckOptions {
  std::vector<std::filesystem::path> files;
  data::Roles roles;
  std::vector<std::string> x, types;
  bool json = false;
};

// Times as people read them.
ordered_json value_of(const data::ColumnReport& column, double value) {
  return column.type == data::ColumnType::time ? ordered_json(data::format_timestamp(value)) : ordered_json(value);
}

// What to type next; nothing where the table lacks what training needs.
std::string suggestion(const data::TableReport& report, const std::vector<std::filesystem::path>& files) {
  const bool has_x = !report.roles.x.empty() || !report.several_x.empty();
  if (report.rows == 0 || !has_x || report.roles.y.empty() || !report.obstacle.empty()) return {};
  std::string command = "cmanp train --task table";
  for (const std::filesystem::path& file : files) command += " --data " + files::shell_word(file.string());
  if (!report.roles.group.empty()) command += " --group " + files::shell_word(report.roles.group);
  if (report.several_x.empty()) command += " --x " + files::shell_word(report.roles.x);
  for (const std::string& x : report.several_x) command += " --x " + files::shell_word(x);
  for (const std::string& y : report.roles.y) command += " --y " + files::shell_word(y);
  const std::string name = files.front().filename().string();
  return command + " --out " + files::shell_word("runs/" + name.substr(0, name.find('.')));
}

ordered_json to_json(const data::TableReport& report, const std::string& next) {
  ordered_json columns = ordered_json::array();
  for (const data::ColumnReport& column : report.columns) {
    ordered_json entry{{"name", column.name},
                       {"type", name_of(column.type)},
                       {"missing", column.missing},
                       {"distinct", column.distinct}};
    if (column.type != data::ColumnType::category && column.distinct > 0) {
      entry["lowest"] = value_of(column, column.lowest);
      entry["median"] = value_of(column, column.median);
      entry["highest"] = value_of(column, column.highest);
      entry["outliers"] = column.outliers;
    }
    if (column.strays.count > 0) {
      entry["unreadable"] = {
          {"count", column.strays.count}, {"first", column.strays.field}, {"where", column.first_stray}};
    }
    columns.push_back(entry);
  }
  const data::SeriesReport& series = report.series;
  return {{"rows", report.rows},
          {"columns", columns},
          {"group", report.roles.group},
          {"x", report.several_x.empty() ? ordered_json(report.roles.x) : ordered_json(report.several_x)},
          {"y", report.roles.y},
          {"groups", series.groups},
          {"shortest", series.shortest},
          {"median_length", series.median_length},
          {"longest", series.longest},
          {"step", series.step},
          {"step_in_words", series.calendar.shown_step(series.step)},
          {"gaps", series.gaps},
          {"largest_gap", series.largest_gap},
          {"duplicates", series.duplicates},
          {"out_of_order", series.out_of_order},
          {"advice", report.advice},
          {"obstacle", report.obstacle},
          {"next", next}};
}

std::string shown(const data::ColumnReport& column, double value) {
  return column.type == data::ColumnType::time ? data::format_timestamp(value) : fmt::format("{:.6g}", value);
}

std::string shown(const std::string& role) { return role.empty() ? "none" : role; }

void print_text(const data::TableReport& report, const std::string& next) {
  Output output;
  std::size_t width = 6;
  for (const data::ColumnReport& column : report.columns) width = std::max(width, column.name.size());
  output.text(fmt::format("{:<{}}  {:<8} {:>9} {:>9} {:>21} {:>21} {:>21}\n", "column", width, "type", "missing",
                          "distinct", "lowest", "median", "highest"));
  for (const data::ColumnReport& column : report.columns) {
    output.text(fmt::format("{:<{}}  {:<8} {:>9} {:>9}", column.name, width, name_of(column.type), column.missing,
                            column.distinct));
    if (column.type != data::ColumnType::category && column.distinct > 0) {
      output.text(fmt::format(" {:>21} {:>21} {:>21}", shown(column, column.lowest), shown(column, column.median),
                              shown(column, column.highest)));
    }
    output.text("\n");
  }
  const data::SeriesReport& series = report.series;
  output.text(fmt::format(
      "\n{} rows; group: {}; x: {}; y: {}\n", report.rows, shown(report.roles.group),
      report.several_x.empty() ? shown(report.roles.x) : fmt::format("{}", fmt::join(report.several_x, ", ")),
      shown(fmt::format("{}", fmt::join(report.roles.y, ", ")))));
  output.text(fmt::format("{} {} of {} to {} rows, {} in the middle", series.groups,
                          !report.roles.group.empty() ? "groups"
                          : report.several_x.empty()  ? "series"
                                                      : "table",
                          series.shortest, series.longest, series.median_length));
  output.text(report.several_x.empty() ? fmt::format("; a step of {}\n", series.calendar.shown_step(series.step))
                                       : "; rows have no order\n");
  for (const std::string& advice : report.advice) output.text("- " + advice + "\n");
  if (!next.empty()) output.text(fmt::format("\nto train: {}\n", next));
  if (!report.obstacle.empty()) output.text(fmt::format("\nnot to be trained on as it is: {}\n", report.obstacle));
  output.flush();
}

void run(const CheckOptions& options) {
  data::TableOptions reading;
  reading.lenient = true;
  for (const std::string& told : options.types) {
    const auto [name, type] = data::parse_typed_name(told);
    reading.types[name] = type;
  }
  reading.made = options.x;
  reading.made.push_back(options.roles.group);
  data::Roles roles = options.roles;
  if (options.x.size() == 1) roles.x = options.x.front();
  const data::TableReport report = check_table(read_data_table(options.files, reading), roles,
                                               options.x.size() > 1 ? options.x : std::vector<std::string>());
  const std::string next = suggestion(report, options.files);
  if (options.json) {
    print_json(to_json(report, next));
  } else {
    print_text(report, next);
  }
}

}  // namespace

std::string check_column_type(const std::string& told) {
  try {
    data::parse_typed_name(told);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

void add_data_check(CLI::App& data) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* verb =
      add_verb(data, "check", "What a table holds, column by column, and what is wrong with it",
               "cmanp data check stations.csv --group station --x hour --y temperature\n"
               "Columns are numbers, ISO 8601 times or categories; which, and what they are for, is found by "
               "looking.");
  verb->add_option("files", options->files,
                   "CSV or TSV, gzipped or not, several files with the same columns; or one that is packed")
      ->required()
      ->type_name("FILE");
  verb->add_option("--group", options->roles.group,
                   "The column that says which series a row belongs to; none: all are one")
      ->type_name("NAME");
  verb->add_option("--x", options->x, "The column along which values lie; several where rows have no order")
      ->type_name("NAME");
  verb->add_option("--y", options->roles.y, "A column of values; may stand several times")->type_name("NAME");
  verb->add_option("--columns", options->types, "The type of a column, NAME:number, NAME:time or NAME:category")
      ->check(check_column_type)
      ->type_name("NAME:TYPE");
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli

// Tables with several x: what nobody said about them, by looking at the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <map>

#include "data/role_columns.hpp"
#include "data/row_series.hpp"
#include "files/quote.hpp"
#include "training/kinds/known_json.hpp"
#include "training/kinds/table_data.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostRows = 512;    // of a task
constexpr std::size_t kEnoughGroups = 10;  // to set some of them aside

// What is said of an order that such rows have not.
void refuse_order(const Json& said) {
  for (const char* const key : {"horizon", "season", "step", "test_windows", "validation_windows"}) {
    if (said.contains(key)) {
      throw Error(fmt::format("{} is along one x; with several x rows have no order: leave it out", key));
    }
  }
  if (said.contains("split") && said["split"] != "random") {
    throw Error(
        fmt::format("split {} is along one x; with several x rows have no order, and any of them are asked for "
                    "(--split random)",
                    said["split"].dump()));
  }
  if (said.contains("parts") && said["parts"] != "group" && said["parts"] != "rows") {
    throw Error(fmt::format("parts {} is along one x; with several x parts are group or rows", said["parts"].dump()));
  }
}

// Rows of a group, and of the one in the middle.
std::vector<std::size_t> lengths_of_groups(const data::DataTable& table, const std::string& name) {
  if (name.empty()) return {table.rows()};
  std::map<double, std::size_t> counts;
  for (const double group : data::whole_column(table, name).values) ++counts[group];
  std::vector<std::size_t> lengths;
  for (const auto& [group, count] : counts) lengths.push_back(count);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<std::string> values_by_looking(const data::DataTable& table, const TableKeys& own) {
  std::vector<std::string> taken = data::split_list(own.x);
  for (const std::string& also : data::split_list(own.also)) taken.push_back(also);
  taken.push_back(own.group);
  std::vector<std::string> names;
  for (const data::Column& column : table.columns) {
    const bool free = std::find(taken.begin(), taken.end(), column.name) == taken.end();
    if (free && column.type == data::ColumnType::number && column.missing < table.rows()) names.push_back(column.name);
  }
  if (names.empty()) throw Error(fmt::format("{}: which column is y? (--y)", own.data));
  return names;
}

}  // namespace

bool is_rows(const TableKeys& own) { return !own.x_as.empty(); }

std::vector<data::KnownColumn> inputs_of_rows(const TableKeys& own) {
  std::vector<data::KnownColumn> inputs = parse_known_columns(own.x_as, data::split_list(own.x), "x");
  for (data::KnownColumn& also : known_of(own)) inputs.push_back(std::move(also));
  return inputs;
}

std::vector<data::KnownColumn> values_of_rows(const TableKeys& own) {
  return parse_known_columns(own.y_as, data::split_list(own.y), "y");
}

data::SeriesSet read_row_series(const TableKeys& own) {
  return data::row_series_of(read_table(own), {own.group, data::split_list(own.x), data::split_list(own.y)},
                             inputs_of_rows(own));
}

void look_at_rows(const data::DataTable& table, TableKeys& own, const Json& said) {
  refuse_order(said);
  own.split = "random";
  own.phases = false;
  std::vector<std::string> y = data::split_list(own.y);
  if (y.empty()) y = values_by_looking(table, own);
  own.y = fmt::format("{}", fmt::join(y, ","));
  std::vector<std::string> names = y;
  for (const std::string& list : {own.x, own.also, own.group}) {
    for (std::string& name : data::split_list(list)) names.push_back(std::move(name));
  }
  data::check_roles(table, names);
  const std::vector<std::size_t> lengths = lengths_of_groups(table, own.group);
  if (!said.contains("parts")) own.parts = lengths.size() >= kEnoughGroups ? "group" : "rows";
  if (own.parts == "group" && own.group.empty()) {
    throw Error("parts group: which column tells the groups apart? (--group)");
  }
  const std::vector<bool> trained_on =
      data::training_rows(table, own.group, own.parts, own.test_share, static_cast<std::uint64_t>(own.split_seed));
  own.x_as = to_text(data::find_known(table, data::split_list(own.x), trained_on, true));
  own.also_as = to_text(data::find_known(table, data::split_list(own.also), trained_on));
  std::vector<data::KnownColumn> values;
  for (const std::string& name : y) {
    data::column_of_values(table, name);
    values.push_back(data::units_of_values(table, name, trained_on));
  }
  own.y_as = to_text(values);
  if (!said.contains("jointly")) own.jointly = y.size() > 1;
  if (own.window == 0) {
    const auto rows = static_cast<std::int64_t>(lengths[lengths.size() / 2]);
    own.window = std::clamp<std::int64_t>(own.parts == "group" ? rows : rows * 4 / 5, 4, kMostRows);
  }
  own.step = 1;
  own.horizon = own.test_windows = own.validation_windows = 1;
}

}  // namespace cmanp::training

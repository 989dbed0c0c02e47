// The settings of task table, and what they say about a table: for those that forecast and judge by the same windows.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/windows.hpp"
#include "training/tasks/table_task.hpp"

namespace cmanp::training {

struct Settings;

struct TableKeys {
  std::string data, group, x, y, also, also_as, columns;
  std::string x_as, y_as;  // where x are several: how they become inputs, and the units of y
  double step = 0;
  std::int64_t window = 0, horizon = 0;
  std::string season;
  std::string split = "forecast", parts = "time";
  std::int64_t test_windows = 0, validation_windows = 0;
  double test_share = 0.1;
  std::int64_t split_seed = 0;
  bool jointly = false;
  std::string units = "deviation";
  bool phases = false;
  double blend = 0;  // as runs have it that are older than this key
  std::string part = "validation";

  bool operator==(const TableKeys&) const = default;
};

TableKeys table_keys_of(const Settings& settings);

std::vector<double> seasons_of(const TableKeys& own);  // in steps, ascending
data::Roles roles_of(const TableKeys& own);
data::DataTable read_table(const TableKeys& own);
std::vector<data::KnownColumn> known_of(const TableKeys& own);  // what `also` are, as training found them
data::SeriesSet read_series(const TableKeys& own);
data::WindowPlan plan_of(const TableKeys& own);
TableUnits table_units(const TableKeys& own);
bool is_joint(const TableKeys& own);  // several columns of values, which tell about each other

// Several x: rows without an order (table_rows.cpp).
bool is_rows(const TableKeys& own);
std::vector<data::KnownColumn> inputs_of_rows(const TableKeys& own);  // x, then also
std::vector<data::KnownColumn> values_of_rows(const TableKeys& own);  // the units of y
data::SeriesSet read_row_series(const TableKeys& own);
// `said`: the settings that somebody gave. Throws Error where they are about an order.
void look_at_rows(const data::DataTable& table, TableKeys& own, const nlohmann::ordered_json& said);

std::shared_ptr<const TableTask> make_table(const Settings& settings);

}  // namespace cmanp::training

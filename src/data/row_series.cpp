#include "data/row_series.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "data/role_columns.hpp"

namespace cmanp::data {
namespace {

const Column* group_column(const DataTable& table, const std::string& name) {
  return name.empty() ? nullptr : &whole_column(table, name);
}

// Rows by group, each group's in the order of the table; groups in the order in which they appear.
std::vector<std::vector<std::size_t>> rows_of_groups(const DataTable& table, const Column* group) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<double, std::size_t> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [found, added] = places.emplace(group == nullptr ? 0 : group->values[row], groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(row);
  }
  return groups;
}

}  // namespace

RowAppender::RowAppender(const DataTable& table, const std::string& group, const std::vector<KnownColumn>& known)
    : group_(group_column(table, group)), known_(table, known) {}

std::string RowAppender::group(std::size_t row) const {
  return group_ == nullptr ? std::string() : group_name(*group_, group_->values[row]);
}

void RowAppender::append(std::size_t row, double number, double value, Series& series) const {
  known_.check(row);
  known_.append(row, series.known);
  series.x.push_back(number);
  series.values.push_back(value);
}

SeriesSet row_series_of(const DataTable& table, const RowRoles& roles, std::vector<KnownColumn> known) {
  std::vector<std::string> names = roles.y;
  for (const KnownColumn& column : known) names.push_back(column.name);
  if (!roles.group.empty()) names.push_back(roles.group);
  check_roles(table, std::move(names));
  std::vector<const Column*> y;
  for (const std::string& name : roles.y) y.push_back(&column_of_values(table, name));
  SeriesSet set;
  set.known = std::move(known);
  set.packed = table.packed();
  const RowAppender rows(table, roles.group, set.known);
  for (const std::vector<std::size_t>& group : rows_of_groups(table, group_column(table, roles.group))) {
    for (std::size_t column = 0; column < y.size(); ++column) {
      Series series{rows.group(group.front()), y[column]->name, {}, {}};
      series.column = column;
      for (std::size_t i = 0; i < group.size(); ++i) {
        const double value = y[column]->values[group[i]];
        if (!std::isnan(value)) rows.append(group[i], static_cast<double>(i), value, series);
      }
      if (series.x.empty()) {
        ++set.without_values;
      } else {
        set.series.push_back(std::move(series));
      }
    }
  }
  set.check_unchanged();
  return set;
}

std::vector<bool> training_rows(const DataTable& table, const std::string& group, const std::string& parts,
                                double test_share, std::uint64_t seed) {
  std::vector<bool> trained_on(table.rows());
  const RowAppender names(table, group, {});
  const auto groups = rows_of_groups(table, group_column(table, group));
  std::set<std::string> all;
  for (const auto& rows : groups) all.insert(names.group(rows.front()));
  const GroupParts group_parts = parts == "group" ? GroupParts(all, test_share, seed) : GroupParts();
  for (const auto& rows : groups) {
    const std::string name = names.group(rows.front());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Part part = parts == "group" ? group_parts.of(name) : part_of_row(name, i, test_share, seed);
      trained_on[rows[i]] = part == Part::train;
    }
  }
  return trained_on;
}

}  // namespace cmanp::data

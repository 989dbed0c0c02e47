#include "data/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/field_form.hpp"
#include "data/looking.hpp"
#include "data/made_columns.hpp"
#include "data/role_columns.hpp"
#include "data/usual_plan.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

constexpr std::uint64_t kFewGroups = 10;

bool is_number(const std::string& word) {
  double value = 0;
  return parse_number(word, {}, value);
}

ColumnReport report_of(const Column& column) {
  ColumnReport report{column.name, column.type, column.missing - std::min(column.missing, column.strays.count)};
  report.strays = column.strays;
  if (column.type == ColumnType::category) {
    report.distinct = column.categories.size();
    const auto mostly = [&](const auto& is) {
      return 2 * std::count_if(column.categories.begin(), column.categories.end(), is) >
             static_cast<std::ptrdiff_t>(column.categories.size());
    };
    report.dates = mostly(is_ambiguous_date);
    if (mostly(is_number) && !is_number(word_in(column))) report.stray_word = word_in(column);
    return report;
  }
  std::vector<double> values = present(column);
  if (values.empty()) return report;
  std::sort(values.begin(), values.end());
  report.lowest = values.front();
  report.median = values[values.size() / 2];
  report.highest = values.back();
  report.distinct = 1;
  for (std::size_t i = 1; i < values.size(); ++i) report.distinct += values[i] != values[i - 1] ? 1 : 0;
  return report;
}

// Beyond ten robust deviations from the median of their group: groups may differ in all else.
std::uint64_t outliers_of(const Column& column, const Column* group, const std::vector<std::size_t>& rows) {
  std::uint64_t count = 0;
  std::vector<double> values, distances;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    values.clear();
    for (; end < rows.size() && same_group(group, rows[begin], rows[end]); ++end) {
      if (!std::isnan(column.values[rows[end]])) values.push_back(column.values[rows[end]]);
    }
    if (values.empty()) continue;
    const double median = median_of(values);
    distances.clear();
    for (const double value : values) distances.push_back(std::abs(value - median));
    const double most = 10 * 1.4826 * median_of(distances);
    if (most == 0) continue;  // more than half are the same
    for (const double value : values) count += std::abs(value - median) > most ? 1 : 0;
  }
  return count;
}

// Neighbours along x within each group.
class SeriesCheck {
 public:
  SeriesCheck(const DataTable& table, const Roles& roles)
      : table_(table),
        group_(roles.group.empty() ? nullptr : &table.column(roles.group)),
        x_(roles.x.empty() ? nullptr : &table.column(roles.x)) {
    if (x_ != nullptr) report_.calendar = Calendar(*x_);
  }

  SeriesReport run() {
    const std::vector<std::size_t> rows = rows_by_group(table_, group_);
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && same_group(group_, rows[begin], rows[end])) ++end;
      take(std::vector<std::size_t>(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                    rows.begin() + static_cast<std::ptrdiff_t>(end)));
    }
    if (!lengths_.empty()) {
      std::sort(lengths_.begin(), lengths_.end());
      report_.groups = lengths_.size();
      report_.shortest = lengths_.front();
      report_.median_length = lengths_[lengths_.size() / 2];
      report_.longest = lengths_.back();
    }
    if (!steps_.empty()) {
      report_.largest_gap = *std::max_element(steps_.begin(), steps_.end());
      report_.step = median_of(steps_);
      report_.gaps = static_cast<std::uint64_t>(
          std::count_if(steps_.begin(), steps_.end(), [this](double step) { return step > 1.5 * report_.step; }));
    }
    return report_;
  }

 private:
  void take(std::vector<std::size_t> rows) {
    lengths_.push_back(rows.size());
    if (rows.size() == 1) ++report_.single_rows;
    if (x_ == nullptr) return;
    const Values& x = x_->values;
    std::erase_if(rows, [&](std::size_t row) { return std::isnan(x[row]); });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (x[rows[i]] < x[rows[i - 1]]) count(report_.out_of_order, report_.first_out_of_order, rows[i]);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const double step = report_.calendar.place(x[rows[i]]) - report_.calendar.place(x[rows[i - 1]]);
      if (step > 0) {
        steps_.push_back(step);
      } else {
        count(report_.duplicates, report_.first_duplicate, rows[i]);
      }
    }
  }

  void count(std::uint64_t& number, std::string& first, std::size_t row) const {
    if (number++ == 0) first = table_.where(row);
  }

  const DataTable& table_;
  const Column *group_, *x_;
  std::vector<std::uint64_t> lengths_;
  std::vector<double> steps_;
  SeriesReport report_;
};

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string about_strays(const ColumnReport& column) {
  const std::uint64_t others = column.strays.count - 1;
  return fmt::format("column {}: {} at {} {}{}", files::quote(column.name), files::quote(column.strays.field),
                     column.first_stray, column.strays.why,
                     others == 0 ? std::string() : fmt::format("; likewise {}", counted(others, "other", "others")));
}

std::vector<std::string> advise(const TableReport& report, const DataTable& table) {
  std::vector<std::string> advice;
  const SeriesReport& series = report.series;
  if (!table.turned().first.empty()) {
    advice.push_back(fmt::format("a row of the file is a series: columns {} to {} are read as rows",
                                 files::quote(table.turned().first), files::quote(table.turned().second)));
  }
  if (const std::string made = about_made_time(table, report.roles.x); !made.empty()) advice.push_back(made);
  if (report.rows == 0) advice.emplace_back("the table has no rows");
  if (report.roles.y.empty()) {
    advice.emplace_back("no column of numbers is left to be a y");
    for (const ColumnReport& column : report.columns) {
      if (column.type == ColumnType::category && column.name != report.roles.group && column.distinct > 1) {
        advice.push_back(fmt::format("column {} holds words, such as {}", files::quote(column.name),
                                     files::quote(word_in(table.column(column.name)))));
      }
    }
  }
  if (report.roles.x.empty() && report.several_x.empty()) {
    advice.emplace_back("no column looks like an x: none is a time, and none ascends; --x rows takes them in order");
  }
  for (const ColumnReport& column : report.columns) {
    if (report.rows > 0 && column.missing == report.rows) {
      advice.push_back(fmt::format("column {} is empty", files::quote(column.name)));
    } else if (report.rows > 1 && column.distinct == 1) {
      advice.push_back(fmt::format("column {} is constant", files::quote(column.name)));
    }
  }
  for (const ColumnReport& column : report.columns) {
    if (column.dates) {
      advice.push_back(about_ambiguous_dates(column.name));
    }
    if (column.strays.count > 0) advice.push_back(about_strays(column));
    if (!column.stray_word.empty()) {
      advice.push_back(fmt::format("column {} has words among its numbers, such as {}: it is taken for words",
                                   files::quote(column.name), files::quote(column.stray_word)));
    }
  }
  if (series.duplicates > 0) {
    advice.push_back(fmt::format("{} the same {} as another of their group, the first at {}",
                                 counted(series.duplicates, "row has", "rows have"), files::quote(report.roles.x),
                                 series.first_duplicate));
  }
  if (series.out_of_order > 0) {
    advice.push_back(fmt::format("{} out of order, the first at {}", counted(series.out_of_order, "row is", "rows are"),
                                 series.first_out_of_order));
  }
  if (series.groups == 1 && !report.several_x.empty()) {
    advice.emplace_back("one table is not a set of tasks: random rows of it are given, others asked for");
  } else if (series.groups == 1) {
    advice.emplace_back("a single series is not a set of tasks: only windows of it can be learned from");
  } else if (series.groups > 1 && series.groups < kFewGroups) {
    advice.push_back(fmt::format("{} groups are few to learn from what groups have in common", series.groups));
  }
  if (series.single_rows > 0) {
    advice.push_back(fmt::format("{} one row only, from which nothing can be learned",
                                 counted(series.single_rows, "group has", "groups have")));
  }
  if (series.gaps > 0) advice.push_back(fmt::format("{} gaps along {}", series.gaps, files::quote(report.roles.x)));
  for (const ColumnReport& column : report.columns) {
    if (column.missing > 0 && column.missing < report.rows) {
      advice.push_back(
          fmt::format("{} of {} values of {} are missing", column.missing, report.rows, files::quote(column.name)));
    }
    if (column.outliers > 0) {
      advice.push_back(fmt::format("{} values of {} are more than ten robust deviations from the median{}",
                                   column.outliers, files::quote(column.name),
                                   report.roles.group.empty() ? "" : " of their group"));
    }
  }
  return advice;
}

}  // namespace

TableReport check_table(const DataTable& table, const Roles& roles, const std::vector<std::string>& several_x) {
  TableReport report;
  report.rows = table.rows();
  report.roles = find_roles(table, roles);
  report.several_x = several_x;
  for (const std::string& name : several_x) table.column(name);
  if (several_x.empty() && roles.x.empty()) report.several_x = find_several_x(table, report.roles, !roles.y.empty());
  if (!report.several_x.empty()) {
    report.roles.x.clear();
    std::erase_if(report.roles.y, [&](const std::string& y) { return is_in(y, report.several_x); });
  }
  const Column* group = report.roles.group.empty() ? nullptr : &table.column(report.roles.group);
  const std::vector<std::size_t> rows = rows_by_group(table, group);
  for (const Column& column : table.columns) {
    report.columns.push_back(report_of(column));
    if (column.type == ColumnType::number) report.columns.back().outliers = outliers_of(column, group, rows);
    if (column.strays.count > 0) report.columns.back().first_stray = table.where(column.strays.row);
  }
  report.series = SeriesCheck(table, report.roles).run();
  report.advice = advise(report, table);
  if (report.several_x.empty() && !report.roles.x.empty() && !report.roles.y.empty()) {
    report.obstacle = obstacle_to_training(table, report.roles);
  }
  return report;
}

}  // namespace cmanp::data

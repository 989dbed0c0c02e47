#include "data/looking.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace cmanp::data {

std::vector<double> present(const Column& column) {
  std::vector<double> values;
  values.reserve(column.values.size());
  std::copy_if(column.values.begin(), column.values.end(), std::back_inserter(values),
               [](double value) { return !std::isnan(value); });
  return values;
}

std::size_t distinct(const Column& column) {
  std::vector<double> values = present(column);
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::distance(values.begin(), std::unique(values.begin(), values.end())));
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::size_t> rows_by_group(const DataTable& table, const Column* group) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (group != nullptr) {
    std::stable_sort(rows.begin(), rows.end(), [group](std::size_t a, std::size_t b) {
      const double first = group->values[a], second = group->values[b];
      return std::isnan(second) ? !std::isnan(first) : first < second;  // those without a group last
    });
  }
  return rows;
}

bool same_group(const Column* group, std::size_t a, std::size_t b) {
  return group == nullptr || group->values[a] == group->values[b] ||
         (std::isnan(group->values[a]) && std::isnan(group->values[b]));
}

bool is_in(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace cmanp::data

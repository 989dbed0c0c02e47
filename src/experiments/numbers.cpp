#include "experiments/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace cmanp::experiments {
namespace {

bool has_fields(const Line& line, const Line& where) {
  return std::all_of(where.items().begin(), where.items().end(), [&](const auto& wanted) {
    const auto found = line.find(wanted.key());
    return found != line.end() && *found == wanted.value();
  });
}

// Of all x, those that a power is fitted over begin here.
double upper_half_of(const std::vector<double>& x) {
  const std::set<double> different(x.begin(), x.end());
  const std::size_t count = std::min(different.size(), std::max<std::size_t>(3, (different.size() + 1) / 2));
  return *std::prev(different.end(), static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::vector<Line> lines_of(const Lines& which, const Row& row, const Job& job, const Result& result) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < std::min(job.origins.size(), result.printed.size()); ++i) {
    if (job.origins[i].command != which.command) continue;
    for (Line line : result.printed[i]) {
      const auto add = [&](const std::string& key, const Line& value) {
        if (!line.contains(key)) line[key] = value;
      };
      for (const auto& [key, value] : job.origins[i].fields.items()) add(key, value);
      for (const auto& [key, value] : row.values) add(key, as_json(value));
      add("row", row.title);
      if (has_fields(line, which.where)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

bool has_field(const Line& line, const std::string& field) {
  return field.starts_with('/') ? line.contains(Line::json_pointer(field)) : line.contains(field);
}

std::optional<double> number_in(const Line& line, const std::string& field) {
  if (field.starts_with('/')) {
    const Line::json_pointer path(field);
    if (line.contains(path) && line.at(path).is_number()) return line.at(path).get<double>();
    return std::nullopt;
  }
  const auto found = line.find(field);
  return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<std::string> text_in(const Line& line, const Words& fields) {
  Words values;
  for (const std::string& field : fields) {
    const auto found = line.find(field);
    if (found == line.end()) return std::nullopt;
    values.push_back(found->is_string() ? found->get<std::string>() : found->dump());
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::optional<double> number_for(const Column& column, const std::vector<Line>& lines) {
  std::optional<double> number, best;
  Points points;
  for (const Line& line : lines) {
    const auto value = number_in(line, column.field);
    if (!value) continue;
    if (column.pick == Pick::first) return *value * column.times;
    const auto over = number_in(line, column.over);
    if (!over) continue;
    points.x.push_back(*over);
    points.y.push_back(std::max(*value, column.at_least));
    if (!best || (column.pick == Pick::most ? *over > *best : *over < *best)) {
      best = over;
      number = *value * column.times;
    }
  }
  return column.pick == Pick::power ? fitted_power(points) : number;
}

std::optional<double> fitted_power(const Points& points) {
  if (points.x.empty()) return std::nullopt;
  const double begin = upper_half_of(points.x);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (points.x[i] < begin) continue;
    if (!(points.x[i] > 0) || !(points.y[i] > 0)) return std::nullopt;
    x.push_back(std::log(points.x[i]));
    y.push_back(std::log(points.y[i]));
  }
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  if (squares == 0) return std::nullopt;
  return both / squares;
}

void add_to_curves(std::vector<Curve>& curves, const std::string& name, double x, double y) {
  auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& one) { return one.name == name; });
  if (curve == curves.end()) curve = curves.insert(curve, {name, {}});
  auto point =
      std::find_if(curve->points.begin(), curve->points.end(), [&](const CurvePoint& one) { return one.x == x; });
  if (point == curve->points.end()) point = curve->points.insert(point, {x, {}});
  point->y.push_back(y);
}

double mean_of(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

std::optional<double> deviation_of(std::span<const double> numbers) {
  if (numbers.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double number : numbers) squares += std::pow(number - mean_of(numbers), 2);
  return std::sqrt(squares / static_cast<double>(numbers.size() - 1));
}

}  // namespace cmanp::experiments

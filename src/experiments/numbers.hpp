// Numbers and names out of what a job's commands printed.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/jobs.hpp"
#include "experiments/results.hpp"

namespace cmanp::experiments {

using Line = nlohmann::ordered_json;

// All that the plan's command printed, with what is known besides: the value of `each`, the row's values, and its title
// as "row".
std::vector<Line> lines_of(const Lines& which, const Row& row, const Job& job, const Result& result);

// Whether there is anything, be it nothing known (null).
bool has_field(const Line& line, const std::string& field);

// A number of a line; a field that begins with / is a path of names and indices. Nothing where there is none.
std::optional<double> number_in(const Line& line, const std::string& field);

// The values of these fields with commas between, as a curve is called. Nothing where one is missing.
std::optional<std::string> text_in(const Line& line, const Words& fields);

std::optional<double> number_for(const Column& column, const std::vector<Line>& lines);

struct Points {
  std::vector<double> x, y;
};

// A point of a curve: y of each of the seeds.
struct CurvePoint {
  double x = 0;
  std::vector<double> y;
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
};

// In the order in which they come.
void add_to_curves(std::vector<Curve>& curves, const std::string& name, double x, double y);

// p of the y = c x^p that is nearest in logarithms over the upper half of the different x, three of them at least where
// there are. Nothing for fewer than two, or where something is not positive.
std::optional<double> fitted_power(const Points& points);

double mean_of(std::span<const double> numbers);
std::optional<double> deviation_of(std::span<const double> numbers);  // nothing for one number

}  // namespace cmanp::experiments

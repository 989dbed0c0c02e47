// Predictions as lines: x, means, deviations, as CSV or JSON.
#pragma once

#include <cmanp/config.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"

namespace cmanp::cli {

// Answers to a number of targets, row by row.
struct Answers {
  std::vector<double> mean, std;  // [target][dim_y]
};

// "x,mean,std\n", numbered where there are more of them.
std::string answers_header(const Config& config);

// As they were asked for: `times` are ISO 8601.
void print_places(Output& output, std::span<const double> x, bool times, std::string_view separator = ",");

// One line for a target and its answer.
void print_answer(Output& output, std::span<const double> x, std::span<const double> mean, std::span<const double> std,
                  bool times = false);

}  // namespace cmanp::cli

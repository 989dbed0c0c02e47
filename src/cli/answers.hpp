// Predictions as lines: x, means, deviations, as CSV or JSON.
#pragma once

#include <cmanp/config.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/output.hpp"

namespace cmanp::cli {

// Answers to a number of targets, row by row.
struct Answers {
  std::vector<double> mean, std;  // [target][dim_y]
};

// "x,mean,std\n", numbered where there are more of them.
std::string answers_header(const Config& config);

// One line for row `i` of `x` [target][dim_x] and its answer.
void print_answer(Output& output, const Config& config, std::span<const double> x, const Answers& answers,
                  std::size_t i);

// {"x": […], "mean": […], "std": […], "observed": n} on one line.
void print_json_answer(Output& output, const Config& config, std::span<const double> x, const Answers& answers,
                       std::size_t i, std::uint64_t observed);

}  // namespace cmanp::cli

#include "cli/answers.hpp"

#include <fmt/format.h>

#include "base/timestamp.hpp"

namespace cmanp::cli {

std::string answers_header(const Config& config) {
  return fmt::format("{},{},{}\n", column_names("x", config.dim_x), column_names("mean", config.dim_y),
                     column_names("std", config.dim_y));
}

void print_places(Output& output, std::span<const double> x, bool times, std::string_view separator) {
  if (!times) return output.numbers(x, Digits::of_double, separator);
  for (std::size_t c = 0; c < x.size(); ++c) {
    if (c > 0) output.text(separator);
    output.text(base::format_timestamp(x[c]));
  }
}

void print_answer(Output& output, std::span<const double> x, std::span<const double> mean, std::span<const double> std,
                  bool times) {
  print_places(output, x, times);
  output.text(",");
  output.numbers(answer_digits(mean, std));
  output.text(",");
  output.numbers(std, Digits::of_float);
  output.text("\n");
}

}  // namespace cmanp::cli

#include "cli/answers.hpp"

#include <fmt/format.h>

namespace cmanp::cli {

std::string answers_header(const Config& config) {
  return fmt::format("{},{},{}\n", column_names("x", config.dim_x), column_names("mean", config.dim_y),
                     column_names("std", config.dim_y));
}

void print_answer(Output& output, const Config& config, std::span<const double> x, const Answers& answers,
                  std::size_t i) {
  output.numbers(x.subspan(i * config.dim_x, config.dim_x));
  output.text(",");
  output.numbers(std::span(answers.mean).subspan(i * config.dim_y, config.dim_y));
  output.text(",");
  output.numbers(std::span(answers.std).subspan(i * config.dim_y, config.dim_y));
  output.text("\n");
}

void print_json_answer(Output& output, const Config& config, std::span<const double> x, const Answers& answers,
                       std::size_t i, std::uint64_t observed) {
  output.text("{\"x\":");
  output.json_array(x.subspan(i * config.dim_x, config.dim_x));
  output.text(",\"mean\":");
  output.json_array(std::span(answers.mean).subspan(i * config.dim_y, config.dim_y));
  output.text(",\"std\":");
  output.json_array(std::span(answers.std).subspan(i * config.dim_y, config.dim_y));
  output.text(fmt::format(",\"observed\":{}}}\n", observed));
}

}  // namespace cmanp::cli

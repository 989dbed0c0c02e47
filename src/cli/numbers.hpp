// Checks of numbers given as flags. CLI11's own let NaN pass, as it is neither below nor above anything.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace cmanp::cli {

// From `least` to `most`, both included.
inline CLI::Validator number_between(double least, double most) {
  const std::string range = fmt::format("in [{} - {}]", least, most);
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= least && value <= most) {
          return std::string();
        }
        return fmt::format("{} is no number {}", text, range);
      },
      "NUMBER " + range);
}

// Any number but NaN and infinities.
inline CLI::Validator finite_number() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value)) return std::string();
        return fmt::format("{} is no finite number", text);
      },
      "");
}

// Above 0, and finite.
inline CLI::Validator positive_number() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0) return std::string();
        return fmt::format("{} is no number above 0", text);
      },
      "above 0");
}

}  // namespace cmanp::cli

#include "experiments/decimals.hpp"

#include <fmt/format.h>

namespace cmanp::experiments {

std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string with_deviation(double mean, const std::optional<double>& deviation, int digits, const std::string& sign) {
  if (!deviation) return decimal(mean, digits);
  return decimal(mean, digits) + sign + decimal(*deviation, digits);
}

}  // namespace cmanp::experiments

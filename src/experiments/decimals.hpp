// Numbers as tables have them.
#pragma once

#include <optional>
#include <string>

namespace cmanp::experiments {

// "-0.31"; what is nothing after these digits has no sign.
std::string decimal(double value, int digits);

// "1.41 ± 0.03", or "1.41" where there is no deviation.
std::string with_deviation(double mean, const std::optional<double>& deviation, int digits,
                           const std::string& sign = " ± ");

}  // namespace cmanp::experiments

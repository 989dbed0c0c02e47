// Readings that are told in steps, as a thermometer with one digit behind the point tells them.
#pragma once

#include <span>

namespace cmanp::base {

// The smallest step between values that come several times, where nearly all of them do; else 0.
double value_step(std::span<const double> values);

}  // namespace cmanp::base

// Which of day, month and year comes first in dates such as 05/06/2024 and 24-05-06, by all of them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/timestamp.hpp"

namespace cmanp::data {

// The order in which most can be read; of several the one of the evenest steps; of several the one in which they ascend
// or descend. Days in a row may be the same day of many years to who begins with the year, and the other way round:
// then they are days, if that day is an odd one. Neither: unknown.
base::DayOrder order_of_dates(const std::vector<std::string_view>& fields);

// From one time to the next, but for those that are the same: in seconds, and of long ones months, however long.
std::vector<double> steps_between(const std::vector<double>& seconds);

// How many of them are the commonest.
std::size_t commonest(std::vector<double> steps);

}  // namespace cmanp::data

// How a table is cut into windows where nobody says, as training does, and whether it can be.
#pragma once

#include <string>
#include <vector>

#include "data/roles.hpp"
#include "data/windows.hpp"

namespace cmanp::data {

// With sizes for those that are 0, by the lengths of the series and their seasons, in steps.
WindowPlan completed(WindowPlan plan, const SeriesSet& set, const std::vector<double>& seasons);

// Why training on these columns would end before its first step; empty: it would not, or the table is so large that
// nobody should wait to hear so.
std::string obstacle_to_training(const DataTable& table, const Roles& roles);

}  // namespace cmanp::data

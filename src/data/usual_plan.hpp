// How a table is cut into windows where nobody says, as training does, and whether it can be.
#pragma once

#include <string>

#include "data/roles.hpp"
#include "data/windows.hpp"

namespace cmanp::data {

// By the lengths of its series, its step and the seasons that such steps usually have.
WindowPlan usual_plan(const SeriesSet& set);

// Why training on these columns would end before its first step; empty: it would not, or the table is so large that
// nobody should wait to hear so.
std::string obstacle_to_training(const DataTable& table, const Roles& roles);

}  // namespace cmanp::data

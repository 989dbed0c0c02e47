// A report's numbers for other programs, and for a paper.
#pragma once

#include <string>

#include "experiments/report.hpp"

namespace cmanp::experiments {

// A line for every row and column of every table, those of which there is no number here left out: as they are, not as
// they are printed.
std::string as_csv(const Report& report);

// A line for every point of every figure's curves: the mean over seeds, and the deviation between them.
std::string curves_as_csv(const Report& report);

// A table environment for each item that has a table of numbers here, by booktabs, and a figure environment for each
// figure that is drawn as PDF: for \input or to copy from.
std::string as_latex(const Report& report);

}  // namespace cmanp::experiments

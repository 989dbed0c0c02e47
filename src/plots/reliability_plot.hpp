// How honest predictions are: as often as predicted, or not.
#pragma once

#include <string>
#include <vector>

namespace cmanp::plots {

struct ReliabilityPlot {
  std::string title;
  std::vector<double> below;      // of each y, the predicted probability of a smaller one (PIT); ascending
  std::vector<double> pit;        // shares of y in even parts of these probabilities
  std::vector<double> pit_error;  // their standard errors
};

// Two panels side by side: the share of y below what was predicted against its probability, and the histogram.
std::string script_of(const ReliabilityPlot& plot);

}  // namespace cmanp::plots

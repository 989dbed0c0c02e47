// A function of one variable as a model sees it: mean, bands, samples, and what it was shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cmanp::plots {

struct Points {
  std::vector<double> x, y;
};

struct FunctionPlot {
  std::string title, x_label = "x", y_label = "y";
  std::vector<double> x, mean, std;          // along the curve
  std::vector<double> sample_x;              // along the samples
  std::vector<std::vector<double>> samples;  // each along sample_x
  Points observations;
  Points truth;     // empty: not known
  bool key = true;  // names the parts
};

// gnuplot's lines for the axis of x from here to there; times are seconds since 1970.
std::string x_axis(double low, double high, bool times);

// gnuplot's script for one picture of it, or, between `set multiplot` and its end, one panel.
std::string script_of(const FunctionPlot& plot);

}  // namespace cmanp::plots

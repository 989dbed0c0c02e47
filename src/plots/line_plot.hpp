// Several curves over one axis, each with its name.
#pragma once

#include <string>
#include <vector>

#include "plots/function_plot.hpp"

namespace cmanp::plots {

struct Series {
  std::string name;
  Points points;
};

struct LinePlot {
  std::string title, x_label, y_label;
  double x_step = 0;  // between two numbers on the axis; 0: as gnuplot likes
  bool log_x = false, log_y = false;
  bool key = true;    // names the curves
  bool dots = false;  // where the numbers are
  std::vector<Series> series;
};

// gnuplot's script for one picture of it, or, between `set multiplot` and its end, one panel. A curve keeps its colour
// by its place.
std::string script_of(const LinePlot& plot);

// A panel that has the curves' names and nothing else.
std::string names_of(const LinePlot& plot);

}  // namespace cmanp::plots

// A line chart as SVG, by itself a file or part of a page: what was known, what came, what was predicted with its
// bands.
#pragma once

#include <string>
#include <vector>

#include "data/calendar.hpp"

namespace cmanp::forecasts {

struct Line {
  std::string name, colour;
  std::vector<double> x, y;  // a NaN lifts the pen
  bool dashed = false;
};

struct Ribbon {
  std::string colour;
  std::vector<double> x, low, high;
};

struct Chart {
  std::string title, x_label;
  std::vector<Ribbon> ribbons;
  std::vector<Line> lines;
  data::Calendar calendar = {};  // what x are
  bool from_zero = false;
};

std::string svg_of(const Chart& chart);

}  // namespace cmanp::forecasts

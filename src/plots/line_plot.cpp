#include "plots/line_plot.hpp"

#include <fmt/format.h>

#include <iterator>

#include "plots/gnuplot.hpp"

namespace cmanp::plots {
namespace {

constexpr const char* kColours[] = {"#1f5fa8", "#c0392b", "#7a9e3f", "#8e5ea2", "#d98c1f", "#3aa6a0",
                                    "#6b6b6b", "#b5527f", "#4f6d2f", "#2b3f8c", "#a67c52", "#000000"};

}  // namespace

std::string script_of(const LinePlot& plot) {
  std::string script;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    fmt::format_to(std::back_inserter(script), "$series{} << END\n", i);
    const Points& points = plot.series[i].points;
    for (std::size_t k = 0; k < points.x.size(); ++k) {
      fmt::format_to(std::back_inserter(script), "{} {}\n", points.x[k], points.y[k]);
    }
    script += "END\n";
  }
  script += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\nset grid linecolor rgb '#dddddd'\nset border 3\n",
                        in_quotes(plot.title), in_quotes(plot.x_label), in_quotes(plot.y_label));
  script += "set tics nomirror\nset format y '%g'\n";
  if (plot.x_step > 0) script += fmt::format("set xtics {}\n", plot.x_step);
  script += "unset logscale\n";
  if (plot.log_x) script += "set logscale x\n";
  if (plot.log_y) script += "set logscale y\n";
  script += plot.key ? "set key outside right top reverse Left\n" : "unset key\n";
  script += "plot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    script += fmt::format("{}$series{} using 1:2 with {} linewidth 2 linecolor rgb '{}' title {}",
                          i == 0 ? "" : ", \\\n  ", i, plot.dots ? "linespoints pointtype 7 pointsize 0.7" : "lines",
                          kColours[i % std::size(kColours)], in_quotes(plot.series[i].name));
  }
  return script + "\n";
}

std::string names_of(const LinePlot& plot) {
  std::string script =
      "unset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\nunset logscale\n"
      "set key inside center center reverse Left\nset yrange [0:1]\nplot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    script += fmt::format("{}-1 with lines linewidth 2 linecolor rgb '{}' title {}", i == 0 ? "" : ", \\\n  ",
                          kColours[i % std::size(kColours)], in_quotes(plot.series[i].name));
  }
  return script + "\n";
}

}  // namespace cmanp::plots

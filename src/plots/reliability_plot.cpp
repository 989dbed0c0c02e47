#include "plots/reliability_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "plots/gnuplot.hpp"

namespace cmanp::plots {

std::string script_of(const ReliabilityPlot& plot) {
  constexpr std::size_t kMost = 500;  // points of the curve
  const std::size_t count = plot.below.size(), step = std::max<std::size_t>(1, count / kMost);
  std::string script = "$reliability << END\n0 0\n";
  for (std::size_t i = 0; i < count; i += step) {
    fmt::format_to(std::back_inserter(script), "{} {}\n", plot.below[i],
                   (static_cast<double>(i) + 0.5) / static_cast<double>(count));
  }
  script += "1 1\nEND\n$pit << END\n";
  const double bins = static_cast<double>(plot.pit.size());
  for (std::size_t i = 0; i < plot.pit.size(); ++i) {
    fmt::format_to(std::back_inserter(script), "{} {} {}\n", (static_cast<double>(i) + 0.5) / bins, plot.pit[i],
                   plot.pit_error[i]);
  }
  script += fmt::format(
      "END\nset multiplot layout 1,2 title {}\nset grid linecolor rgb '#dddddd'\nset xrange [0:1]\nset yrange [0:1]\n"
      "set key left top\nset xlabel 'predicted probability of a smaller y'\nset ylabel 'share of y that were smaller'\n"
      "plot x with lines linewidth 1 dashtype 2 linecolor rgb '#444444' title 'calibrated', \\\n"
      "  $reliability using 1:2 with lines linewidth 2 linecolor rgb '#1f5fa8' title 'this model'\n",
      in_quotes(plot.title));
  script += fmt::format(
      "set yrange [0:*]\nset ylabel 'share of y (PIT)'\nset boxwidth {} absolute\nset style fill solid 0.6 border\n"
      "plot $pit using 1:2 with boxes linecolor rgb '#a9cbea' notitle, \\\n"
      "  $pit using 1:2:(2*$3) with yerrorbars pointtype 0 linewidth 1 linecolor rgb '#1f5fa8' title '2 standard "
      "errors', \\\n"
      "  {} with lines linewidth 1 dashtype 2 linecolor rgb '#444444' title 'calibrated'\nunset multiplot\n",
      0.9 / bins, 1 / bins);
  return script;
}

}  // namespace cmanp::plots

#include "plots/function_plot.hpp"

#include <fmt/format.h>

#include <iterator>

#include "plots/gnuplot.hpp"

namespace cmanp::plots {
namespace {

std::string block(const std::string& name, const std::string& rows) {
  return fmt::format("${} << END\n{}END\n", name, rows);
}

std::string rows_of(const Points& points) {
  std::string rows;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    fmt::format_to(std::back_inserter(rows), "{} {}\n", points.x[i], points.y[i]);
  }
  return rows;
}

// x and, in a row of columns each, all `curves` along it.
std::string columns_of(const std::vector<double>& x, const std::vector<std::vector<double>>& curves) {
  std::string rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fmt::format_to(std::back_inserter(rows), "{}", x[i]);
    for (const auto& curve : curves) fmt::format_to(std::back_inserter(rows), " {}", curve[i]);
    rows += "\n";
  }
  return rows;
}

}  // namespace

std::string x_axis(double low, double high, bool times) {
  if (!times) return fmt::format("set xrange [{}:{}]\n", low, high);
  constexpr double kDay = 86400;
  const double days = (high - low) / kDay;
  const char* const format = days > 1000 ? "%Y" : days > 60 ? "%Y-%m" : days > 3 ? "%m-%d" : "%m-%d\\n%H:%M";
  return fmt::format(
      "set xdata time\nset timefmt '%s'\nset format x \"{}\"\nset xrange ['{:.6f}':'{:.6f}']\nset xtics nomirror\n",
      format, low, high);
}

std::string script_of(const FunctionPlot& plot) {
  std::string script = block("curve", columns_of(plot.x, {plot.mean, plot.std}));
  if (!plot.samples.empty()) script += block("samples", columns_of(plot.sample_x, plot.samples));
  if (!plot.observations.x.empty()) script += block("observed", rows_of(plot.observations));
  if (!plot.truth.x.empty()) script += block("truth", rows_of(plot.truth));
  script += fmt::format(
      "set title {}\nset xlabel {}\nset ylabel {}\nset grid linecolor rgb '#dddddd'\n{}\n"
      "set style fill solid noborder\n",
      in_quotes(plot.title), in_quotes(plot.x_label), in_quotes(plot.y_label),
      plot.key ? "set key outside right top" : "unset key");
  // 95 % and 68 % of a normal.
  script +=
      "plot $curve using 1:($2-1.96*$3):($2+1.96*$3) with filledcurves linecolor rgb '#d6e6f5' title '95 %', \\\n"
      "  $curve using 1:($2-$3):($2+$3) with filledcurves linecolor rgb '#a9cbea' title '68 %'";
  for (std::size_t i = 0; i < plot.samples.size(); ++i) {
    script += fmt::format(", \\\n  $samples using 1:{} with lines linewidth 1 linecolor rgb '#7a9e3f' {}", 2 + i,
                          i == 0 ? "title 'samples'" : "notitle");
  }
  if (!plot.truth.x.empty()) {
    script += ", \\\n  $truth using 1:2 with lines linewidth 2 dashtype 2 linecolor rgb '#444444' title 'truth'";
  }
  script += ", \\\n  $curve using 1:2 with lines linewidth 2 linecolor rgb '#1f5fa8' title 'mean'";
  if (!plot.observations.x.empty()) {
    script += fmt::format(
        ", \\\n  $observed using 1:2 with points pointtype 7 pointsize {} linecolor rgb '#c0392b' "
        "title 'observed'",
        plot.observations.x.size() > 200 ? 0.3 : 0.8);
  }
  return script + "\n";
}

}  // namespace cmanp::plots

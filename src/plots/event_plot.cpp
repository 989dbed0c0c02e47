#include "plots/event_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "plots/gnuplot.hpp"

namespace cmanp::plots {

std::string script_of(const EventPlot& plot) {
  std::string script = "$intensity << END\n";
  for (std::size_t i = 0; i < plot.time.size(); ++i) {
    script += fmt::format("{} {}\n", plot.time[i], plot.intensity[i]);
  }
  script += "END\n$events << END\n";
  for (const double event : plot.events) script += fmt::format("{}\n", event);
  script += "END\n$gaps << END\n";
  for (std::size_t i = 0; i < plot.gap.size(); ++i) {
    script += fmt::format("{} {} {} {} {}\n", plot.events[plot.events.size() - plot.gap.size() + i], plot.gap[i],
                          plot.median[i], plot.low[i], plot.high[i]);
  }
  script += "END\n";
  const double from = plot.events.front(),
               to = std::max(plot.events.back(), plot.time.empty() ? from : plot.time.back());
  script += fmt::format("set xrange [{}:{}]\nset grid linecolor rgb '#dddddd'\nset multiplot layout 2,1\n", from,
                        to > from ? to : from + 1);
  script +=
      fmt::format("set title {}\nset key outside right top\nset lmargin 11\nset rmargin 22\n", in_quotes(plot.title));
  // The axis of the densest gaps would flatten all others.
  script +=
      "set ylabel 'events per unit of time'\nset logscale y\nset format y '%g'\n"
      "plot $intensity using 1:2 with lines linewidth 1.5 linecolor rgb '#1f5fa8' title 'intensity', \\\n"
      "  $events using 1:(1) axes x1y2 with impulses linewidth 1 linecolor rgb '#e3b3ad' notitle, \\\n"
      "  $events using 1:(0.03) axes x1y2 with points pointtype 7 pointsize 0.5 linecolor rgb '#c0392b' title "
      "'events'\n";
  script += fmt::format(
      "unset title\nset ylabel 'gap before the event'\nset xlabel 'time'\n"
      "plot $gaps using 1:4:5 with filledcurves fillstyle solid noborder linecolor rgb '#d6e6f5' title '{:.0f} % "
      "predicted', \\\n"
      "  $gaps using 1:3 with lines linewidth 1.5 linecolor rgb '#1f5fa8' title 'median predicted', \\\n"
      "  $gaps using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb '#c0392b' title 'came'\n"
      "unset multiplot\n",
      100 * plot.interval);
  return "set y2range [0:1]\n" + script;
}

std::string calibration_script(const std::string& title, const std::vector<Calibration>& models) {
  constexpr std::size_t kMost = 500;  // points of a curve
  std::string script;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::vector<double>& u = models[m].transformed;
    script += fmt::format("$model{} << END\n0 0\n", m);
    const std::size_t step = std::max<std::size_t>(1, u.size() / kMost);
    for (std::size_t i = 0; i < u.size(); i += step) {
      script += fmt::format("{} {}\n", u[i], (static_cast<double>(i) + 0.5) / static_cast<double>(u.size()));
    }
    script += "1 1\nEND\n";
  }
  script += fmt::format(
      "set title {}\nset size square\nset grid linecolor rgb '#dddddd'\nset xrange [0:1]\nset yrange [0:1]\n"
      "set key left top\nset xlabel 'predicted probability of an event by then'\nset ylabel 'share of events that "
      "came'\n"
      "plot x with lines linewidth 1 dashtype 2 linecolor rgb '#444444' title 'calibrated'",
      in_quotes(title));
  for (std::size_t m = 0; m < models.size(); ++m) {
    script += fmt::format(", \\\n  $model{} using 1:2 with lines linewidth 2 title {}", m, in_quotes(models[m].name));
  }
  return script + "\n";
}

}  // namespace cmanp::plots

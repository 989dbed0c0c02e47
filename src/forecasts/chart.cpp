#include "forecasts/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/html.hpp"

namespace cmanp::forecasts {
namespace {

constexpr double kWidth = 640, kHeight = 240, kLeft = 64, kRight = 12, kTop = 28, kBottom = 36;

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void take(const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  void mend() {
    if (!(low <= high)) low = 0, high = 1;
    if (low == high) low -= 0.5, high += 0.5;
  }
};

// Multiples of 1, 2 or 5 times a power of ten, about five of them.
std::vector<double> ticks(const Extent& extent) {
  const double rough = extent.high / 5 - extent.low / 5, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (rough <= factor * power) step = factor * power;
  }
  std::vector<double> places;
  const double first = std::ceil(extent.low / step);
  for (int i = 0; i < 12 && (first + i) * step <= extent.high; ++i) places.push_back((first + i) * step);
  return places;
}

class Canvas {
 public:
  Canvas(const Extent& x, const Extent& y) : x_(x), y_(y) {}

  double across(double x) const { return kLeft + (x - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight); }
  double down(double y) const {
    return kHeight - kBottom - (y - y_.low) / (y_.high - y_.low) * (kHeight - kTop - kBottom);
  }

  std::string path(const std::vector<double>& x, const std::vector<double>& y) const {
    std::string path;
    bool pen_down = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool there = std::isfinite(x[i]) && std::isfinite(y[i]);
      if (there) path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", across(x[i]), down(y[i]));
      pen_down = there;
    }
    return path;
  }

 private:
  Extent x_, y_;
};

}  // namespace

std::string svg_of(const Chart& chart) {
  Extent x, y;
  for (const Ribbon& ribbon : chart.ribbons) {
    x.take(ribbon.x);
    y.take(ribbon.low);
    y.take(ribbon.high);
  }
  for (const Line& line : chart.lines) {
    x.take(line.x);
    y.take(line.y);
  }
  if (chart.from_zero) y.take({0});
  x.mend();
  y.mend();
  const Canvas canvas(x, y);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"16\" font-size=\"13\">{3}</text>\n",
      kWidth, kHeight, kLeft, base::html_escaped(chart.title));
  for (const double at : ticks(y)) {
    svg += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.6g}</text>\n",
        kLeft, canvas.down(at), kWidth - kRight, kLeft - 5, canvas.down(at) + 4, at);
  }
  if (chart.calendar.times()) {  // both ends, as people write them
    for (const auto& [at, anchor] : {std::pair{x.low, "start"}, {x.high, "end"}}) {
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", canvas.across(at),
                         kHeight - kBottom + 15, anchor, chart.calendar.shown_shortly(at));
    }
  } else {
    for (const double at : ticks(x)) {
      const bool last = canvas.across(at) > kWidth - 3 * kRight;  // in the middle, half of it would be cut off
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{:.6g}</text>\n",
                         last ? kWidth - 4 : canvas.across(at), kHeight - kBottom + 15, last ? "end" : "middle", at);
    }
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     kLeft + (kWidth - kLeft - kRight) / 2, kHeight - 6, base::html_escaped(chart.x_label));
  for (const Ribbon& ribbon : chart.ribbons) {
    if (ribbon.x.size() == 1) {  // a bar, as an area of no width is not seen
      const std::vector<double> ends{ribbon.low[0], ribbon.high[0]};
      svg += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"6\"/>\n",
                         canvas.path({ribbon.x[0], ribbon.x[0]}, ends), ribbon.colour);
      continue;
    }
    std::vector<double> around_x = ribbon.x, around_y = ribbon.high;
    around_x.insert(around_x.end(), ribbon.x.rbegin(), ribbon.x.rend());
    around_y.insert(around_y.end(), ribbon.low.rbegin(), ribbon.low.rend());
    svg += fmt::format("<path d=\"{}Z\" fill=\"{}\"/>\n", canvas.path(around_x, around_y), ribbon.colour);
  }
  double key = kWidth - kRight;
  for (const Line& line : chart.lines) {
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n",
                       canvas.path(line.x, line.y), line.colour, line.dashed ? " stroke-dasharray=\"4 3\"" : "");
    for (std::size_t i = 0; i < line.x.size(); ++i) {  // a point by itself, as a line of no length is not seen
      const auto there = [&](std::size_t at) { return at < line.y.size() && std::isfinite(line.y[at]); };
      if (!there(i) || there(i + 1) || (i > 0 && there(i - 1))) continue;
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", canvas.across(line.x[i]),
                         canvas.down(line.y[i]), line.colour);
    }
    if (line.name.empty()) continue;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"16\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", key, line.colour,
                       base::html_escaped(line.name));
    key -= 8 * static_cast<double>(line.name.size()) + 12;
  }
  return svg + "</svg>\n";
}

}  // namespace cmanp::forecasts

#include "forecasts/report.hpp"
#include "forecasts/lowest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/html.hpp"
#include "base/running_mean.hpp"
#include "forecasts/chart.hpp"

namespace cmanp::forecasts {
namespace {

constexpr std::size_t kShownContext = 4;  // times as many points before a forecast as in it
const char* const kColours[] = {"#1f5fa8", "#c0392b", "#7a9e3f", "#b7791f", "#6b4fa0", "#444444"};

double value(const Score& score, std::size_t index) { return values_of(score)[index]; }

constexpr double kErrors = 2;  // standard errors that make a difference
constexpr std::size_t kFewWindows = 8;

// Whether two that answered for the same windows differ by more than chance makes them.
bool differ(const std::vector<Score>& one, const std::vector<Score>& other, std::size_t index) {
  base::RunningMean differences;
  for (std::size_t i = 0; i < one.size(); ++i) differences.add(value(one[i], index) - value(other[i], index));
  return one.size() < 2 || std::abs(differences.mean()) > kErrors * differences.standard_error();
}

std::string shown(double number) { return fmt::format("{:.4g}", number); }

std::string table_of(const Judgement& judgement) {
  std::string html = "<table><tr><th>who</th>";
  for (const std::string& name : score_names()) html += "<th>" + name + "</th>";
  html += "</tr>\n";
  for (const Contender& one : judgement.contenders) {
    html += fmt::format("<tr><td title=\"{}\">{}</td>", base::html_escaped(one.what), base::html_escaped(one.name));
    for (std::size_t i = 0; i < score_names().size(); ++i) {
      html += fmt::format("<td>{} <small>± {}</small></td>", shown(value(one.summary.mean, i)),
                          fmt::format("{:.2g}", value(one.summary.standard_error, i)));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

// Of the model's windows by their MASE: the best, the one in the middle, the worst.
std::string examples(const Judgement& judgement) {
  const Contender& model = judgement.contenders.front();
  std::vector<std::size_t> order(model.scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return model.scores[a].mase < model.scores[b].mase; });
  std::string html;
  const std::pair<const char*, std::size_t> some[] = {{"best", 0},
                                                      {"first quarter", order.size() / 4},
                                                      {"middle", order.size() / 2},
                                                      {"last quarter", order.size() * 3 / 4},
                                                      {"worst", order.size() - 1}};
  for (const auto& [name, rank] : some) {
    const data::Window& window = (*judgement.windows)[order[rank]];
    const std::string label =
        window.series->group.empty() ? window.series->y : window.series->group + ", " + window.series->y;
    html += picture_of(window, model.forecasts[order[rank]],
                       fmt::format("{}: {} (MASE {:.2f})", name, label, model.scores[order[rank]].mase),
                       judgement.x_name, judgement.calendar);
  }
  return html;
}

std::string errors_over_horizon(const Judgement& judgement) {
  Chart chart;
  chart.title = "mean absolute error, in deviations of the context";
  chart.x_label = "steps ahead";
  chart.from_zero = true;
  for (std::size_t i = 0; i < judgement.contenders.size(); ++i) {
    const Contender& one = judgement.contenders[i];
    Line line{one.name,
              kColours[i % std::size(kColours)],
              {},
              error_by_step(*judgement.windows, one.forecasts, judgement.step)};
    for (std::size_t at = 0; at < line.y.size(); ++at) line.x.push_back(static_cast<double>(at + 1));
    chart.lines.push_back(std::move(line));
  }
  std::reverse(chart.lines.begin(), chart.lines.end());  // the model above the others
  return svg_of(chart);
}

std::string reliability(const Judgement& judgement) {
  Chart chart;
  chart.title = "reliability: the diagonal is calibrated";
  chart.x_label = "predicted probability";
  chart.lines.push_back({"", "#999999", {0, 1}, {0, 1}, true});
  const std::array<double, 10> shares = shares_of_tenths(*judgement.windows, judgement.contenders.front().forecasts);
  Line line{judgement.contenders.front().name, kColours[0], {0}, {0}};
  for (const double share : shares) {
    line.x.push_back(line.x.back() + 0.1);
    line.y.push_back(line.y.back() + share);
  }
  chart.lines.push_back(std::move(line));
  return svg_of(chart);
}

}  // namespace

Contender contender(std::string name, std::string what, std::vector<Forecast> forecasts,
                    const std::vector<data::Window>& windows, double step, double season) {
  Contender one{std::move(name), std::move(what), std::move(forecasts), {}, {}};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    one.scores.push_back(score_of(windows[i], one.forecasts[i], step, season));
  }
  one.summary = summarise(one.scores);
  return one;
}

std::vector<std::string> verdict(const Judgement& judgement) {
  std::vector<std::string> sentences;
  const Contender& model = judgement.contenders.front();
  for (const char* const name : {"crps", "mae", "mase", "msis", "log_likelihood"}) {
    const std::vector<std::string>& names = score_names();
    const auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const double own = value(model.summary.mean, index), sign = higher_is_better(name) ? -1 : 1;
    const Contender* best = nullptr;
    for (std::size_t i = 1; i < judgement.contenders.size(); ++i) {
      const Contender& rival = judgement.contenders[i];
      if (best == nullptr || sign * value(rival.summary.mean, index) < sign * value(best->summary.mean, index))
        best = &rival;
    }
    if (best == nullptr) continue;
    const double other = value(best->summary.mean, index);
    if (!differ(model.scores, best->scores, index)) {
      sentences.push_back(fmt::format("No clear difference in {}: the model has {}, the best rival ({}) {}.", name,
                                      shown(own), best->name, shown(other)));
    } else if (sign * other < sign * own) {
      sentences.push_back(fmt::format("A rival is better in {}: {} ({}) has {}, the model {}.", name, best->name,
                                      best->what, shown(other), shown(own)));
    } else {
      sentences.push_back(fmt::format("The model is ahead in {}: {}, the best rival ({}) {}.", name, shown(own),
                                      best->name, shown(other)));
    }
  }
  const double coverage = model.summary.mean.coverage[2];
  double values = 0;
  for (const data::Window& window : *judgement.windows) values += static_cast<double>(window.targets.size());
  const double least = std::sqrt(0.95 * 0.05 / values);  // even if values had nothing to do with each other
  const double error = std::max(least, model.summary.standard_error.coverage[2]);
  const bool certain = std::abs(coverage - 0.95) > kErrors * error;
  sentences.push_back(fmt::format("Bands of 95 % hold {:.1f} % of the values{}.", 100 * coverage,
                                  !certain          ? ""
                                  : coverage < 0.93 ? ": too narrow"
                                  : coverage > 0.97 ? ": too wide"
                                                    : ""));
  if (model.scores.size() < kFewWindows) {
    sentences.push_back(
        fmt::format("{} little: other data may turn this round.",
                    model.scores.size() == 1 ? "One window says" : fmt::format("{} windows say", model.scores.size())));
  }
  return sentences;
}

std::string picture_of(const data::Window& window, const Forecast& forecast, const std::string& title,
                       const std::string& x_label, const data::Calendar& calendar) {
  const data::Series& series = *window.series;
  Chart chart;
  chart.title = title;
  chart.x_label = x_label;
  chart.calendar = calendar;
  Line known{"known", "#444444", {}, {}}, came{"came", "#c0392b", {}, {}}, mean{"forecast", "#1f5fa8", {}, {}};
  const std::size_t shown_points = std::min(window.context.size(), kShownContext * window.targets.size() + 8);
  // Where the other of the two lies between two points, the pen is lifted: a line would run through it.
  const auto lies_between = [&](const std::vector<std::size_t>& points, double from, double to) {
    return std::any_of(points.begin(), points.end(),
                       [&](std::size_t i) { return series.x[i] > from && series.x[i] < to; });
  };
  const auto lift = [](Line& line) {
    line.x.push_back(line.x.back());
    line.y.push_back(std::numeric_limits<double>::quiet_NaN());
  };
  for (std::size_t i = window.context.size() - shown_points; i < window.context.size(); ++i) {
    const double x = series.x[window.context[i]];
    if (!known.x.empty() && lies_between(window.targets, known.x.back(), x)) lift(known);
    known.x.push_back(x);
    known.y.push_back(series.values[window.context[i]]);
  }
  // One ribbon after the other: a gap, what follows.
  std::vector<Ribbon> wides, narrows;
  const double lowest = lowest_of(series);
  for (std::size_t i = 0; i < window.targets.size(); ++i) {
    const double x = series.x[window.targets[i]];
    const bool anew = i == 0 || lies_between(window.context, series.x[window.targets[i - 1]], x);
    if (anew) {
      wides.push_back({"#d6e6f5", {}, {}, {}});
      narrows.push_back({"#a9cbea", {}, {}, {}});
      if (i > 0) {
        lift(came);
        lift(mean);
      }
    }
    came.x.push_back(x);
    came.y.push_back(series.values[window.targets[i]]);
    mean.x.push_back(x);
    mean.y.push_back(std::max(lowest, forecast.mean[i]));
    for (const auto& [ribbon, level] : {std::pair{&wides.back(), 2}, {&narrows.back(), 0}}) {
      const double half = forecast.half_width(i, static_cast<std::size_t>(level));
      ribbon->x.push_back(x);
      ribbon->low.push_back(std::max(lowest, forecast.mean[i] - half));
      ribbon->high.push_back(std::max(lowest, forecast.mean[i] + half));
    }
  }
  for (const std::vector<Ribbon>& ribbons : {wides, narrows}) {
    chart.ribbons.insert(chart.ribbons.end(), ribbons.begin(), ribbons.end());
  }
  chart.lines = {known};
  if (std::any_of(came.y.begin(), came.y.end(), [](double y) { return std::isfinite(y); })) chart.lines.push_back(came);
  chart.lines.push_back(mean);
  return svg_of(chart);
}

std::string html_of(const Judgement& judgement) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta "
      "charset=\"utf-8\"><title>{0}</title>\n<style>body{{font-family:sans-serif;"
      "max-width:1000px;margin:2em auto}}table{{border-collapse:collapse}}td,th{{border:1px solid #ccc;padding:3px 8px;"
      "text-align:right}}td:first-child{{text-align:left}}small{{color:#777}}</style>\n<h1>{0}</h1>\n<ul>\n",
      base::html_escaped(judgement.title));
  for (const std::string& sentence : verdict(judgement)) html += "<li>" + base::html_escaped(sentence) + "</li>\n";
  html += "</ul>\n<table>\n";
  for (const auto& [name, fact] : judgement.facts) {
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", base::html_escaped(name), base::html_escaped(fact));
  }
  html += "</table>\n<h2>Measures</h2>\n" + table_of(judgement);
  const bool predicts =
      std::all_of(judgement.windows->begin(), judgement.windows->end(),
                  [](const data::Window& window) { return window.context.back() < window.targets.front(); });
  if (predicts && !judgement.rows) html += "<h2>Error over the horizon</h2>\n" + errors_over_horizon(judgement);
  html += "<h2>Calibration</h2>\n" + reliability(judgement);
  if (!judgement.rows) html += "<h2>Windows, by how well they were forecast</h2>\n" + examples(judgement);
  return html + "</html>\n";
}

}  // namespace cmanp::forecasts

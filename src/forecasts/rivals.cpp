#include "forecasts/rivals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "base/suggest.hpp"
#include "forecasts/gp_rival.hpp"

namespace cmanp::forecasts {
namespace {

using data::Window;

// A window's points by their number within it.
class Seen {
 public:
  explicit Seen(const Window& window) : window_(window) {}

  std::size_t size() const { return window_.context.size(); }
  double x(std::size_t i) const { return window_.series->x[window_.context[i]]; }
  double y(std::size_t i) const { return window_.series->values[window_.context[i]]; }

  // How many lie at x or before.
  std::size_t until(double at) const {
    std::size_t low = 0, high = size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      (x(middle) <= at ? low : high) = x(middle) <= at ? middle + 1 : middle;
    }
    return low;
  }

 private:
  const Window& window_;
};

// A deviation out of squared errors; some share of the values' own size where there is none to go by.
double deviation(double squares, std::size_t count, const Window& window) {
  const double least = 1e-3 * data::context_units(window.context_values(), false).scale;
  return count == 0 ? 1e3 * least : std::max(least, std::sqrt(squares / static_cast<double>(count)));
}

template <class Answer>  // (x) to (mean, std)
Forecast for_targets(const Window& window, const Answer& answer) {
  Forecast forecast;
  for (const std::size_t target : window.targets) {
    const auto [mean, std] = answer(window.series->x[target]);
    forecast.mean.push_back(mean);
    forecast.std.push_back(std);
  }
  return forecast;
}

// What was last known before a place; errors grow as a random walk's do.
Forecast last_value(const Window& window, double step) {
  const Seen seen(window);
  double squares = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    const double change = seen.y(i) - seen.y(i - 1);
    squares += change * change * step / (seen.x(i) - seen.x(i - 1));
  }
  const double one_step = deviation(squares, seen.size() - 1, window);
  return for_targets(window, [&](double x) {
    const std::size_t known = std::max<std::size_t>(1, seen.until(x)) - 1;
    const double steps = std::max(1.0, std::abs(x - seen.x(known)) / step);
    return std::pair(seen.y(known), one_step * std::sqrt(steps));
  });
}

// The context's value at a place, as near as half a step.
bool value_at(const Seen& seen, double x, double step, double& value) {
  const std::size_t after = seen.until(x + 0.5 * step);
  if (after == 0 || std::abs(seen.x(after - 1) - x) > 0.5 * step) return false;
  value = seen.y(after - 1);
  return true;
}

// The same time a season ago, or as many seasons as it takes to be known. Bands as R's snaive has them, but by errors
// on the context alone.
Forecast last_season(const Window& window, double step, double season) {
  const Seen seen(window);
  double squares = 0, before = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!value_at(seen, seen.x(i) - season, step, before)) continue;
    squares += (seen.y(i) - before) * (seen.y(i) - before);
    ++count;
  }
  const double one_season = deviation(squares, count, window);
  const Forecast otherwise = last_value(window, step);
  std::size_t target = 0;
  return for_targets(window, [&](double x) {
    const std::size_t own = target++;
    double value = 0;
    for (int k = 1; x - k * season >= seen.x(0) - 0.5 * step; ++k) {
      if (value_at(seen, x - k * season, step, value)) return std::pair(value, one_season * std::sqrt(k));
    }
    return std::pair(otherwise.mean[own], otherwise.std[own]);
  });
}

// A straight line between the neighbours; behind the last one, its value.
Forecast linear(const Window& window) {
  const Seen seen(window);
  const auto between = [&](std::size_t a, std::size_t b, double x) {
    return std::lerp(seen.y(a), seen.y(b), (x - seen.x(a)) / (seen.x(b) - seen.x(a)));
  };
  double squares = 0;
  for (std::size_t i = 1; i + 1 < seen.size(); ++i) {
    const double error = seen.y(i) - between(i - 1, i + 1, seen.x(i));
    squares += error * error;
  }
  const double std = deviation(squares, seen.size() < 3 ? 0 : seen.size() - 2, window);
  return for_targets(window, [&](double x) {
    const std::size_t after = seen.until(x);
    if (after == 0) return std::pair(seen.y(0), std);
    if (after == seen.size()) return std::pair(seen.y(after - 1), std);
    return std::pair(between(after - 1, after, x), std);
  });
}

// Mean and deviation of the context; with a season, of what it had at this time of one.
Forecast climatology(const Window& window, double step, double season) {
  const Seen seen(window);
  const base::Scale all = data::context_units(window.context_values(), false);
  return for_targets(window, [&](double x) {
    if (season == 0) return std::pair(all.shift, all.scale);
    double sum = 0, squares = 0, value = 0;
    std::size_t count = 0;
    const double last = x + std::floor((seen.x(seen.size() - 1) - x) / season + 1e-9) * season;
    for (double at = last; at >= seen.x(0) - 0.5 * step; at -= season) {
      if (!value_at(seen, at, step, value)) continue;
      sum += value;
      squares += value * value;
      ++count;
    }
    if (count < 2) return std::pair(count == 0 ? all.shift : sum, all.scale);
    const double n = static_cast<double>(count), mean = sum / n;
    const double variance = std::max(0.0, squares / n - mean * mean) * n / (n - 1);
    // Of few values a deviation is hardly known: that of all of them counts as one more.
    return std::pair(mean, std::sqrt((n * variance + all.scale * all.scale) / (n + 1)));
  });
}

// Exponential smoothing of a level and, with one, of a season (Holt and Winters, additive), by the smoothing constants
// that did best on the context.
class Smoother {
 public:
  Smoother(const Window& window, double step, double season)
      : seen_(window),
        window_(window),
        step_(step),
        period_(season == 0 ? 1 : static_cast<std::size_t>(std::lround(season / step))) {
    if (seen_.size() < 2 * period_ + 2) period_ = 1;
    constexpr std::array kConstants{0.05, 0.1, 0.2, 0.4, 0.7, 0.95};
    double best = std::numeric_limits<double>::infinity();
    for (const double alpha : kConstants) {
      for (const double gamma : kConstants) {
        if (period_ == 1 && gamma != kConstants[0]) continue;
        const double squares = run(alpha, gamma);
        if (squares >= best) continue;
        best = squares;
        alpha_ = alpha;
        gamma_ = gamma;
      }
    }
    std_ = deviation(run(alpha_, gamma_), counted_, window_);
  }

  Forecast answer() const {
    return for_targets(window_, [this](double x) {
      const double steps = std::max(1.0, std::round((x - seen_.x(seen_.size() - 1)) / step_));
      return std::pair(level_ + season_[slot(x)], std_ * std::sqrt(1 + (steps - 1) * alpha_ * alpha_));
    });
  }

 private:
  std::size_t slot(double x) const {
    const auto place = static_cast<std::int64_t>(std::llround((x - seen_.x(0)) / step_));
    const auto period = static_cast<std::int64_t>(period_);
    return static_cast<std::size_t>(((place % period) + period) % period);
  }

  // Squared errors of one step ahead, after the first season.
  double run(double alpha, double gamma) {
    season_.assign(period_, 0);
    std::vector<std::size_t> counts(period_, 0);
    level_ = 0;
    const std::size_t first = std::max<std::size_t>(1, std::min(period_, seen_.size()));
    for (std::size_t i = 0; i < first; ++i) level_ += seen_.y(i) / static_cast<double>(first);
    for (std::size_t i = 0; i < first && period_ > 1; ++i) season_[slot(seen_.x(i))] = seen_.y(i) - level_;
    double squares = 0;
    counted_ = 0;
    for (std::size_t i = first; i < seen_.size(); ++i) {
      double& seasonal = season_[slot(seen_.x(i))];
      const double error = seen_.y(i) - level_ - seasonal;
      squares += error * error;
      ++counted_;
      level_ += alpha * error;
      if (period_ > 1) seasonal += gamma * (1 - alpha) * error;
    }
    return squares;
  }

  Seen seen_;
  const Window& window_;
  double step_;
  std::size_t period_, counted_ = 0;
  double alpha_ = 0.1, gamma_ = 0.1, level_ = 0, std_ = 1;
  std::vector<double> season_;
};

}  // namespace

std::vector<Rival> rivals(double step, double season) {
  std::vector<Rival> all{{"last value", "what was known last", [=](const Window& w) { return last_value(w, step); }}};
  if (season > 0) {
    all.push_back(
        {"last season", "the same time last season", [=](const Window& w) { return last_season(w, step, season); }});
  }
  all.push_back({"linear", "a line between the neighbours", linear});
  all.push_back({"climatology", season > 0 ? "mean of the context at this time of the season" : "mean of the context",
                 [=](const Window& w) { return climatology(w, step, season); }});
  all.push_back({"smoother", season > 0 ? "exponential smoothing with a season" : "exponential smoothing",
                 [=](const Window& w) { return Smoother(w, step, season).answer(); }});
  all.push_back({"gp",
                 season > 0 ? "a Gaussian process with a season, fitted to each window"
                            : "a Gaussian process, fitted to each window",
                 [=](const Window& w) { return gaussian_process(w, step, season); }});
  return all;
}

std::vector<Rival> chosen(std::vector<Rival> all, const std::string& names) {
  if (names.empty()) return all;
  std::vector<Rival> some;
  if (names == "none") return some;
  std::vector<std::string> known;
  for (const Rival& rival : all) known.push_back(rival.name);
  for (const std::string& name : data::split_list(names)) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string near = base::nearest(name, known);
      throw Error(fmt::format("no rival \"{}\"{}; there are {}, or none", name,
                              near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near),
                              fmt::join(known, ", ")));
    }
    some.push_back(all[static_cast<std::size_t>(found - known.begin())]);
  }
  return some;
}

}  // namespace cmanp::forecasts

#include "forecasts/scores.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::forecasts {
namespace {

// The mean change from a season ago to now within what was known before the window.
double seasonal_unit(const data::Window& window, double step, double season) {
  const data::Series& series = *window.series;
  const std::size_t known = window.targets.front();  // of a forecast; of a gap, what lies before it
  const std::size_t points = std::max(known, window.context.size());
  const double lag = season > 0 ? season : step;
  double sum = 0;
  std::size_t count = 0, before = 0;
  for (std::size_t i = 0; i < std::min(points, series.x.size()); ++i) {
    while (series.x[before] < series.x[i] - lag - 0.5 * step) ++before;
    if (before >= i || std::abs(series.x[before] - (series.x[i] - lag)) > 0.5 * step) continue;
    sum += std::abs(series.values[i] - series.values[before]);
    ++count;
  }
  if (count > 0 && sum > 0) return sum / static_cast<double>(count);
  return data::context_units(window.context_values(), false).scale;  // nothing changes, or no season is known
}

}  // namespace

const std::vector<std::string>& score_names() {
  static const std::vector<std::string> names{"log_likelihood", "rmse", "mae",         "crps",        "mase",
                                              "smape",          "msis", "coverage_50", "coverage_90", "coverage_95"};
  return names;
}

std::vector<double> values_of(const Score& s) {
  return {s.log_likelihood, s.rmse, s.mae,         s.crps,        s.mase,
          s.smape,          s.msis, s.coverage[0], s.coverage[1], s.coverage[2]};
}

bool higher_is_better(const std::string& name) { return name == "log_likelihood"; }

Score score_of(const data::Window& window, const Forecast& forecast, double step, double season) {
  Score score;
  const double unit = seasonal_unit(window, step, season), n = static_cast<double>(window.targets.size());
  measures::Judge judge(forecast.band_scales);
  for (std::size_t i = 0; i < window.targets.size(); ++i) {
    const double y = window.series->values[window.targets[i]], mean = forecast.mean[i], std = forecast.std[i];
    judge.add({&y, 1}, {&mean, 1}, {&std, 1}, 1);
    const double error = std::abs(y - mean), half = forecast.half_width(i, measures::kLevels.size() - 1);
    score.smape += error == 0 ? 0 : 200 * error / (std::abs(y) + std::abs(mean)) / n;
    score.msis += (2 * half + 40 * std::max(0.0, error - half)) / unit / n;  // 40 = 2 / (1 - 0.95)
  }
  const measures::Judgement judged = judge.judgement();
  score.log_likelihood = judged.log_likelihood.value;
  score.rmse = judged.rmse.value;
  score.mae = judged.mae.value;
  score.crps = judged.crps.value;
  score.mase = score.mae / unit;
  for (std::size_t i = 0; i < judged.bands.size(); ++i) score.coverage[i] = judged.bands[i].coverage.value;
  return score;
}

Summary summarise(const std::vector<Score>& scores) {
  Summary summary;
  summary.windows = scores.size();
  const std::size_t width = values_of(Score()).size();
  std::vector<double> sums(width), squares(width);
  for (const Score& score : scores) {
    Score own = score;
    own.rmse *= own.rmse;
    const std::vector<double> values = values_of(own);
    for (std::size_t i = 0; i < width; ++i) {
      sums[i] += values[i];
      squares[i] += values[i] * values[i];
    }
  }
  const auto n = static_cast<double>(scores.size());
  const auto filled = [&](const auto& value) {
    std::vector<double> all;
    for (std::size_t i = 0; i < width; ++i) all.push_back(value(i));
    return Score{all[0], all[1], all[2], all[3], all[4], all[5], all[6], {all[7], all[8], all[9]}};
  };
  summary.mean = filled([&](std::size_t i) { return sums[i] / n; });
  summary.standard_error = filled([&](std::size_t i) {
    const double mean = sums[i] / n;
    return n < 2 ? 0 : std::sqrt(std::max(0.0, squares[i] / n - mean * mean) / (n - 1));
  });
  // By the delta method.
  summary.mean.rmse = std::sqrt(summary.mean.rmse);
  if (summary.mean.rmse > 0) summary.standard_error.rmse /= 2 * summary.mean.rmse;
  return summary;
}

std::vector<double> error_by_step(const std::vector<data::Window>& windows, const std::vector<Forecast>& forecasts,
                                  double step) {
  std::vector<double> sums, counts;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const data::Window& window = windows[w];
    const double unit = data::context_units(window.context_values(), false).scale;
    for (std::size_t i = 0; i < window.targets.size(); ++i) {
      const double ahead = std::round(std::abs(window.series->x[window.targets[i]] - window.origin) / step);
      const auto at = static_cast<std::size_t>(std::max(0.0, ahead - 1));
      if (at >= 100000) continue;
      if (at >= sums.size()) {
        sums.resize(at + 1);
        counts.resize(at + 1);
      }
      sums[at] += std::abs(window.series->values[window.targets[i]] - forecasts[w].mean[i]) / unit;
      counts[at] += 1;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = counts[i] == 0 ? std::nan("") : sums[i] / counts[i];
  return sums;
}

std::array<double, 10> shares_of_tenths(const std::vector<data::Window>& windows,
                                        const std::vector<Forecast>& forecasts) {
  std::array<double, 10> shares{};
  double count = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (std::size_t i = 0; i < windows[w].targets.size(); ++i) {
      const double y = windows[w].series->values[windows[w].targets[i]];
      const double probability = measures::normal_below((y - forecasts[w].mean[i]) / forecasts[w].std[i]);
      shares[std::min<std::size_t>(9, static_cast<std::size_t>(10 * probability))] += 1;
      count += 1;
    }
  }
  for (double& share : shares) share /= std::max(1.0, count);
  return shares;
}

}  // namespace cmanp::forecasts

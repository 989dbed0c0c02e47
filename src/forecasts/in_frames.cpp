#include "forecasts/in_frames.hpp"

#include <algorithm>
#include <atomic>
#include <cmanp/context.hpp>
#include <cmanp/predictor.hpp>

#include "base/parallel.hpp"
#include "forecasts/earlier.hpp"
#include "forecasts/seasonal_profile.hpp"

namespace cmanp::forecasts {
namespace {

std::vector<double> places(const data::Window& window, const std::vector<std::size_t>& points) {
  std::vector<double> x;
  x.reserve(points.size());
  for (const std::size_t i : points) x.push_back(window.series->x[i]);
  return x;
}

// All that is known of a window but its season, over a range that has its targets.
Context context_of(const Model& model, const data::Window& window, const SeasonalProfile& season, bool find_seasons) {
  const std::vector<double> x = places(window, window.context);
  std::vector<double> y = window.context_values();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = season.without(x[i], y[i]);
  ContextOptions options;
  // What is held out between says nothing of what is to come.
  options.frame = model.find_frame(x, y, find_seasons, false);
  if (model.config().relative()) {
    const data::Values& all = window.series->x;
    options.range = {{std::min(all[window.context.front()], all[window.targets.front()])},
                     {std::max(all[window.context.back()], all[window.targets.back()])}};
  }
  Context context(model, options);
  context.observe(x, y);
  return context;
}

bool never_changed(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

// Each target by itself, and what becomes of `draws` about that. With the season, and so many times as wide.
Forecast answer(Context& context, const std::vector<double>& x, const SeasonalProfile& season, double width,
                Paths& draws) {
  Forecast forecast{std::vector<double>(x.size()), std::vector<double>(x.size()), context.model().config().band_scales};
  context.predict(x, forecast.mean, forecast.std);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double mean = forecast.mean[i % x.size()];
    draws[i] = season.with(x[i % x.size()], mean + width * season.widening() * (draws[i] - mean));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    forecast.mean[i] = season.with(x[i], forecast.mean[i]);
    forecast.std[i] *= width * season.widening() * season.factor(x[i]);
  }
  return forecast;
}

// Of the window as it was earlier, by what came after.
EarlierErrors earlier_errors(const Model& model, const data::Window& window, const FramedOptions& options) {
  constexpr double kFarthest = 16;  // the square of one error counts so much at most
  EarlierErrors errors;
  const bool flat = SeasonalProfile(window, options.step, options.season).flat();
  for (const data::Window& one : earlier_ones(window)) {
    const SeasonalProfile season(one, options.step, options.season);
    if (season.flat() != flat) continue;  // there was too little then to know of the season
    Context context = context_of(model, one, season, options.find_seasons);
    const std::vector<double> x = places(one, one.targets);
    Paths none;
    const Forecast forecast = answer(context, x, season, 1, none);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = (window.series->values[one.targets[i]] - forecast.mean[i]) / forecast.std[i];
      sum += std::min(error * error, kFarthest);
    }
    errors.squares += sum / static_cast<double>(x.size());
    errors.count += 1;
  }
  return errors;
}

template <class Answer>  // (index, context, places of the targets, season, width)
void for_each_window(const Model& model, const std::vector<data::Window>& windows, const FramedOptions& options,
                     const Progress& progress, const Answer& answer) {
  std::vector<EarlierErrors> errors(windows.size());
  base::for_each_index(windows.size(), options.threads,
                       [&](std::size_t i) { errors[i] = earlier_errors(model, windows[i], options); });
  const std::vector<double> widths = widths_by(errors);
  std::atomic<std::size_t> done = 0;
  base::for_each_index(windows.size(), options.threads, [&](std::size_t i) {
    const SeasonalProfile season(windows[i], options.step, options.season);
    Context context = context_of(model, windows[i], season, options.find_seasons);
    answer(i, context, places(windows[i], windows[i].targets), season, looks_ahead(windows[i]) ? widths[i] : 1);
    if (progress) progress(++done);
  });
}

}  // namespace

std::vector<Forecast> answer_in_frames(const Model& model, const std::vector<data::Window>& windows,
                                       const FramedOptions& options, const Progress& progress) {
  std::vector<Forecast> answers(windows.size());
  for_each_window(
      model, windows, options, progress,
      [&](std::size_t i, Context& context, const std::vector<double>& x, const SeasonalProfile& season, double width) {
        Paths none;
        answers[i] = answer(context, x, season, width, none);
        const std::vector<double> known = windows[i].context_values();
        if (never_changed(known)) answers[i].mean.assign(x.size(), known.front());
      });
  return answers;
}

std::vector<Paths> draw_in_frames(const Model& model, const std::vector<data::Window>& windows, std::size_t count,
                                  std::uint64_t seed, const FramedOptions& options, const Progress& progress) {
  if (model.config().diagonal()) fail_without_joint_head(model.config().model_name());
  std::vector<Paths> paths(windows.size());
  for_each_window(
      model, windows, options, progress,
      [&](std::size_t i, Context& context, const std::vector<double>& x, const SeasonalProfile& season, double width) {
        paths[i].resize(count * x.size());
        sample(context, x, paths[i], {.draws = count, .seed = seed + i});
        answer(context, x, season, width, paths[i]);
      });
  return paths;
}

}  // namespace cmanp::forecasts

// A model that works in frames (Config::frames) as a forecaster of whatever series, without training on them: every
// window is a context of its own, in the frame of what is known of it. Such a model knows of no calendar: where a
// season is told, its profile is taken off the window before, and laid on the answers; what comes again in the rest is
// found with the frame.
#pragma once

#include <cmanp/model.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/forecast.hpp"

namespace cmanp::forecasts {

using Progress = std::function<void(std::size_t)>;  // is told how many windows are done, from any thread

struct FramedOptions {
  double step = 1, season = 0;  // lengths along x; no season: 0
  std::size_t threads = 1;
  bool find_seasons = true;  // with the frames
};

std::vector<Forecast> answer_in_frames(const Model& model, const std::vector<data::Window>& windows,
                                       const FramedOptions& options, const Progress& progress = {});

// Joint draws of each window's targets. Throws Error where the model knows no covariance between targets.
std::vector<Paths> draw_in_frames(const Model& model, const std::vector<data::Window>& windows, std::size_t count,
                                  std::uint64_t seed, const FramedOptions& options, const Progress& progress = {});

}  // namespace cmanp::forecasts

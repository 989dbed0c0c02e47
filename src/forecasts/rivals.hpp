// Forecasts that need no training: whoever trains a model has to be ahead of these. Each knows of a window what the
// model knows, its context, and answers with a mean and a deviation that its own errors on that context promise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/forecast.hpp"

namespace cmanp::forecasts {

struct Rival {
  std::string name, what;
  std::function<Forecast(const data::Window& window)> answer;
};

// Those that make sense: season 0 is none. `step` and `season` are lengths along x.
std::vector<Rival> rivals(double step, double season);

// Those of `all` that are named, with commas between; "none" names none, "" all. Throws Error for a name that is not
// there.
std::vector<Rival> chosen(std::vector<Rival> all, const std::string& names);

}  // namespace cmanp::forecasts

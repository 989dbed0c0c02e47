// What comes again with every season: how far each time of it lies from the level, by the mean over a window's whole
// seasons, its slope taken off. For forecasters that know nothing of seasons.
#pragma once

#include <cstddef>
#include <vector>

#include "data/windows.hpp"

namespace cmanp::forecasts {

class SeasonalProfile {
 public:
  // `step` and `season` are lengths along x. Flat where there is no season (0), or no two whole ones in the context.
  SeasonalProfile(const data::Window& window, double step, double season);

  double at(double x) const;

  // What is left on the context is smaller than what will be left ahead, as the profile was made of it: deviations that
  // were found there are to be this much wider.
  double widening() const { return widening_; }

 private:
  std::size_t slot(double x) const;

  double begin_ = 0, step_ = 1, widening_ = 1;
  std::vector<double> profile_ = {0};
};

}  // namespace cmanp::forecasts

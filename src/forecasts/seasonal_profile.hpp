// What comes again with every season: how far each time of it lies from the level, by the mean over a window's whole
// seasons, its slope taken off. Where swings grow and shrink with the level, as those of sales do, it is how many times
// the level each time of it has. For forecasters that know nothing of seasons.
#pragma once

#include <cstddef>
#include <vector>

#include "data/windows.hpp"

namespace cmanp::forecasts {

class SeasonalProfile {
 public:
  // `step` and `season` are lengths along x. Flat where there is no season (0), or no two whole ones in the context.
  SeasonalProfile(const data::Window& window, double step, double season);

  // A value without its season, and what is said of such a value, with it.
  double without(double x, double value) const { return (value - at(x)) / factor(x); }
  double with(double x, double value) const { return at(x) + factor(x) * value; }

  double at(double x) const;      // what it adds
  double factor(double x) const;  // what it multiplies by

  bool flat() const { return profile_.size() == 1; }

  // What is left on the context is smaller than what will be left ahead, as the profile was made of it: deviations that
  // were found there are to be this much wider.
  double widening() const { return widening_; }

 private:
  std::size_t slot(double x) const;
  void try_factors(const data::Window& window, double season, std::size_t seasons);

  double begin_ = 0, step_ = 1, widening_ = 1;
  std::vector<double> profile_ = {0}, factors_ = {1};
};

}  // namespace cmanp::forecasts

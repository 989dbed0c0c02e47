// What comes again in a signal, such as the hours of a day: a sum of sines over one period.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace cmanp {

struct Season {
  std::size_t column = 0;  // of y
  double period = 1;       // in units of x
  double origin = 0;       // of x, where all angles are 0
  // Of the wave that fits once into the period, of that which fits twice, and so on; in units of y.
  std::vector<double> cosine, sine;
  double widening = 1;  // of deviations: what the season may be off where it was not fitted

  double at(double x) const {
    const double turns = (x - origin) / period;
    const std::complex<double> once = std::polar(1.0, 2 * std::numbers::pi * (turns - std::floor(turns)));
    std::complex<double> wave = 1;
    double sum = 0;
    for (std::size_t k = 0; k < cosine.size(); ++k) {
      wave *= once;
      sum += cosine[k] * wave.real() + sine[k] * wave.imag();
    }
    return sum;
  }

  bool operator==(const Season&) const = default;
};

}  // namespace cmanp

// Where latents lie along one x in relative coordinates; both halves lay out the same.
#pragma once

#include <cmath>

namespace cmanp::base {

// The least gamma of a head's penalty gamma |p - p'|², gamma = 1 / (2 length²), where lengths may be so many spacings
// of the grid at most: what bounds an attention's reach.
inline double least_gamma(double longest, double spacing) { return 0.5 / ((longest * spacing) * (longest * spacing)); }

// Steps that cover a length. One that rounding alone asks for, far from zero above all, is not taken: grids reach
// beyond their range anyway.
inline double grid_steps(double length, double spacing) { return std::ceil(length / spacing - 1e-6); }

// One point beyond each end of a range and as many between as the spacing asks for, centred. Doubles, as a hostile
// range may ask for more points than any integer counts.
struct GridAxis {
  double origin, count;

  static GridAxis over(double low, double high, double spacing) {
    const double inner = grid_steps(high - low, spacing), centre = low + 0.5 * (high - low);
    return {centre - 0.5 * (inner + 2) * spacing, inner + 3};
  }
};

}  // namespace cmanp::base

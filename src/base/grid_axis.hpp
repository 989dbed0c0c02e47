// Where latents lie along one x in relative coordinates; both halves lay out the same.
#pragma once

#include <cmath>

namespace cmanp::base {

// The longest that a head's penalty gamma |p - p'|² may be, gamma = 1 / (2 length²), in spacings of the grid: what
// bounds an attention's reach.
inline constexpr double kLongestLength = 40;

// The least gamma at this spacing.
inline double least_gamma(double spacing) { return 0.5 / ((kLongestLength * spacing) * (kLongestLength * spacing)); }

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

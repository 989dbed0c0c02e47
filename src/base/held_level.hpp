// Levels: where a signal went and stayed, far from where most of it lies. A frame by robust statistics leaves them out
// as it does outliers; but readings that follow each other are none, and what lies too far out of the frame no model
// can tell apart.
#pragma once

#include <cstddef>
#include <span>

#include "base/frame.hpp"

namespace cmanp::base {

inline constexpr std::size_t kHeld = 4;  // readings, one after the other, on one side
inline constexpr double kFar = 8;        // scales of the frame, from its shift
inline constexpr double kNear = 5;       // and of one that is widened for them

// The scale, widened where readings that follow each other along x are beyond kFar, so that they are at kNear.
Scale widened_for_levels(Scale scale, std::span<const double> x, std::span<const double> y);

// Of distances from the middle in scales, in the order in which they came: the place of the first that is the last of
// kHeld beyond kFar; their number where there is none.
std::size_t first_held(std::span<const double> distances);

}  // namespace cmanp::base

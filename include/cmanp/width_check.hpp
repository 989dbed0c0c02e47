// What observations that were held out say of a model's deviations.
#pragma once

#include <algorithm>
#include <cmath>

namespace cmanp {

// Variances are as they would have had to be there, times `factor`, where targets are known as well as those were or
// better; of what is known less, such as the future, as much is added or taken off as there: it was not asked.
struct WidthCheck {
  double factor = 1;
  double level = 0;  // the mean variance of what was held out, in units of the frame
  double least = 0;  // in units of the frame: no deviation is smaller, of readings that are told in steps

  // Of a deviation in units of the frame.
  double of(double deviation) const {
    const double variance = deviation * deviation;
    return std::max(least, std::sqrt(variance + (factor - 1) * std::min(variance, level)));
  }

  bool operator==(const WidthCheck&) const = default;
};

}  // namespace cmanp

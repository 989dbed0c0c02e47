#include "base/value_step.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cmanp::base {

double value_step(std::span<const double> values) {
  constexpr double kNearlyAll = 0.8;
  std::vector<double> ascending(values.begin(), values.end());
  std::sort(ascending.begin(), ascending.end());
  std::vector<double> often;
  std::size_t covered = 0;
  for (auto from = ascending.begin(); from != ascending.end();) {
    const auto to = std::upper_bound(from, ascending.end(), *from);
    if (to - from > 1) {
      often.push_back(*from);
      covered += static_cast<std::size_t>(to - from);
    }
    from = to;
  }
  if (static_cast<double>(covered) < kNearlyAll * static_cast<double>(values.size())) return 0;
  double step = 0;
  for (std::size_t i = 1; i < often.size(); ++i) {
    const double gap = often[i] - often[i - 1];
    if (step == 0 || gap < step) step = gap;
  }
  return step;
}

}  // namespace cmanp::base

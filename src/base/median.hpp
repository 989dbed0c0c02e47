// The middle one of some values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cmanp::base {

// The upper one where there are two. There has to be one at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace cmanp::base

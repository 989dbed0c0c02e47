// What a model or a rival answers about a window's targets, in their order and in the table's units.
#pragma once

#include <vector>

namespace cmanp::forecasts {

struct Forecast {
  std::vector<double> mean, std;
};

}  // namespace cmanp::forecasts

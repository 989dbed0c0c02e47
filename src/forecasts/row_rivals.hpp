// Rivals where x are several: what answers about rows by rows alone.
#pragma once

#include <vector>

#include "forecasts/rivals.hpp"

namespace cmanp::forecasts {

// The mean of the context, its nearest row, and linear regression on it; all in the inputs that the model has.
std::vector<Rival> row_rivals();

}  // namespace cmanp::forecasts

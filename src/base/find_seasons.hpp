// Finds what comes again in a signal, such as the hours of a day, from what was observed of it at any places.
//
// Candidates are the peaks of the spectrum above their surroundings, and small multiples of their periods. Each is
// fitted to two thirds of the time that was observed, less the running mean over one period, and has to predict the
// other third; what does not, in each of the three, is no season. So a random walk has none, however it looks.
#pragma once

#include <cmanp/season.hpp>
#include <span>
#include <vector>

namespace cmanp::base {

// At most two, one upon the other, of a signal over one x, that came three times at least; mostly none. What is not
// finite is left out.
std::vector<Season> find_seasons(std::span<const double> x, std::span<const double> y);

}  // namespace cmanp::base

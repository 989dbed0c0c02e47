// The spectrum of a signal that was observed at any places.
#pragma once

#include <span>
#include <vector>

namespace cmanp::base {

// Periods at which the signal swings by far more than at those about them, the clearest first, `most` at the most; none
// above `longest` or below `shortest`. Places ascend.
std::vector<double> spectral_peaks(std::span<const double> x, std::span<const double> y, double shortest,
                                   double longest, std::size_t most);

}  // namespace cmanp::base

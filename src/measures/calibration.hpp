// What deviations have to be multiplied by, so that held-out y lie where they are said to: one number for all of them,
// by likelihood, and one more for the width of each band. Only where it helps on data that did not choose it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measures/judgement.hpp"

namespace cmanp::measures {

struct Calibration {
  double deviation_scale = 1;
  BandScales band_scales = kPlainBands;
  Measured gain;  // in log-likelihood a number by the first, each fold with the scale that the others chose

  bool changes() const { return deviation_scale != 1 || band_scales != kPlainBands; }
};

// Of errors in units of their deviations, and the fold that each was held out in (0 to folds - 1; at least two). A
// scale stays 1 where there are few numbers, the gain is within twice its standard error, or a band covers its share
// within twice that.
Calibration calibrate(std::span<const double> z, std::span<const std::size_t> fold, std::size_t folds);

// The width of each band alone, so that it holds its share of these errors: of new ones as well, if they are alike.
BandScales bands_by(std::span<const double> z);

}  // namespace cmanp::measures

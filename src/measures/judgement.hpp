// How good predictions are that are normal distributions: errors, likelihood, and whether as many y lie in their bands
// as they promise. Every measure comes with its standard error, as if all y were independent.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/running_mean.hpp"

namespace cmanp::measures {

struct Measured {
  double value = 0, standard_error = 0;
};

// The bands that are judged: probability, and so many deviations to either side of the mean.
struct Level {
  double probability, deviations;
};
inline constexpr std::array<Level, 3> kLevels{
    {{0.5, 0.6744897501960817}, {0.9, 1.6448536269514722}, {0.95, 1.959963984540054}}};
inline constexpr std::size_t kPitBins = 10;

// A factor to the width of each of these bands: a calibrated model has some that are not 1.
using BandScales = std::array<double, kLevels.size()>;
inline constexpr BandScales kPlainBands{1, 1, 1};

struct Band {
  Measured coverage, width;
};

struct Judgement {
  std::size_t points = 0;
  Measured log_likelihood;  // a point, each y by itself
  Measured rmse, mae, crps;
  std::array<Band, kLevels.size()> bands;
  // Probability integral transform: the share of y in each tenth of what was predicted. A tenth each is calibrated.
  std::array<Measured, kPitBins> pit;
};

// The probability that a standard normal number is below z.
double normal_below(double z);

class Judge {
 public:
  explicit Judge(const BandScales& scales = kPlainBands) : scales_(scales) {}

  // Points, one after the other: [point][width] each.
  void add(std::span<const double> y, std::span<const double> mean, std::span<const double> std, std::size_t width);

  Judgement judgement() const;

 private:
  double add_number(double y, double mean, double std);  // its log-likelihood

  BandScales scales_;
  base::RunningMean log_likelihood_, squared_, absolute_, crps_;
  std::array<base::RunningMean, kLevels.size()> inside_, width_;
  std::array<std::size_t, kPitBins> pit_{};
};

}  // namespace cmanp::measures

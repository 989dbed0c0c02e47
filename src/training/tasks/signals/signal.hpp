// One signal, observed and asked for, in the frame of what was observed: drawn values, and what is known of those asked
// for given the observed ones and all that the signal was drawn from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "training/tasks/limits.hpp"
#include "training/tasks/signals/signal_places.hpp"

namespace cmanp::training {

// What a signal is drawn from but for its places; deviations are in units of the signal's own.
struct SignalParameters {
  SignalKernel kernel, after;  // the latter from `change` on, and independent of what was before
  double change = 0;
  bool changes = false;

  struct Jump {
    double place, size;
  };
  std::vector<Jump> jumps;

  double noise = 0;           // deviation
  double drift = 0;           // of it along the range: factor 1 + drift at its end, 1 - drift at its start
  double zero = 0;            // where `growing`, the deviation is proportional to the distance from here
  bool growing = false;       // with the signal
  double tails = 0;           // degrees of freedom of Student-t noise; 0: normal
  double outlier_share = 0;   // of observed values
  double step = 0;            // that values are rounded to
  double floor = 0, cap = 0;  // that values are clipped to
  bool clipped = false;

  double amplitude = 1, offset = 0;  // units: amplitude * (value + offset)

  // Given all of these, values are jointly normal.
  bool gaussian() const { return !growing && tails == 0 && outlier_share == 0 && step == 0 && !clipped; }

  double covariance(double a, double b) const;           // of the signal, without noise
  double mean(double x) const;                           // likewise: its jumps
  double noise_at(double x, const Extent& range) const;  // deviation, where it does not grow with the signal
};

// "linear x periodic + rbf, noise 0.12, jumps"
std::string describe(const SignalParameters& parameters);

SignalParameters draw_parameters(const SignalPrior& prior, const std::vector<Simple>& kinds, const Places& places,
                                 Random& random);

struct Signal {
  Places places;
  SignalParameters parameters;
  std::vector<double> observed, asked;  // y

  // Of every y asked for. Where values are jointly normal: given the observed. Else given the signal itself, or, where
  // clipping or rounding leaves no simple moments, given all: the y itself and no variance.
  std::vector<double> mean, variance;
  std::vector<double> covariance;  // [asked][asked], where wanted
  std::optional<Limits> limits;    // where values are jointly normal
};

struct SignalWanted {
  std::size_t observed = 0, asked = 0;
  bool jointly = false;
};

// All in the frame that base::frame_of makes of what was observed. Draws until no value is farther than the prior
// allows; throws Error where that does not come to an end.
Signal draw_signal(const SignalPrior& prior, const std::vector<Simple>& kinds, const SignalWanted& wanted,
                   const Beyond& beyond, Random& random);

}  // namespace cmanp::training

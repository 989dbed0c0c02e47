// What decides about the signals that are drawn; docs/universal.md explains it. Lengths, periods and horizons are in
// widths of the observed range where they end, and in the frame's units where they begin: no grid resolves less.
#pragma once

#include <cstdint>
#include <string>

#include "training/trainer/typed_keys.hpp"

namespace cmanp::training {

struct SignalPrior {
  std::string kernels = "all";
  std::int64_t parts = 3;  // simple kernels in a signal, at most
  double products = 0.3;   // the share of further ones that multiply; others are added
  double length_low = 0.05, length_high = 2.5;
  double period_low = 0.1, period_high = 2;

  // Deviations in units of the signal's own.
  double no_noise = 0.15;  // the share of signals without any
  double noise_low = 0.01, noise_high = 1;

  // Shares of signals that have each of these.
  double student = 0.15;   // noise with heavy tails
  double drifting = 0.15;  // noise that grows or shrinks along x
  double growing = 0.15;   // noise that grows with the signal
  double jumps = 0.1, changes = 0.1, clipped = 0.06, rounded = 0.08, outliers = 0.12;

  double gaps = 0.3;
  double forecasts = 0.3;  // the share of targets beyond the observed range, in batches that have some
  double horizon = 3;
  double farthest = 50;        // what has a value beyond it, in spreads of the observed, is drawn anew
  double tolerance = 0.002;    // no loss asks for a deviation below it
  bool only_gaussian = false;  // without student, growing, outliers, clipped and rounded
  bool exact_loss = false;     // where nothing is said: for models that can; decides about no signal
};

const KeyTable<SignalPrior>& signal_keys();

// Throws Error on what makes no sense.
void check_prior(const SignalPrior& prior);

}  // namespace cmanp::training

#include "training/tasks/signals/signal_prior.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>

#include "base/finite.hpp"
#include "training/tasks/signals/signal_kernel.hpp"

namespace cmanp::training {
namespace {

void check_share(const char* name, double share) {
  if (!(share >= 0 && share <= 1)) throw Error(fmt::format("{} is {}; it is a share, from 0 to 1", name, share));
}

void check_order(const char* name, double low, double high) {
  if (!base::positive(low) || !(low <= high) || !std::isfinite(high)) {
    throw Error(fmt::format("{0}_low {1} and {0}_high {2} are no range of numbers above 0", name, low, high));
  }
}

}  // namespace

const KeyTable<SignalPrior>& signal_keys() {
  using P = SignalPrior;
  static const KeyTable<SignalPrior> table({
      {"kernels", &P::kernels,
       "Simple kernels that signals are made of: all, or some with commas between: rbf, matern12, matern32, matern52, "
       "rational-quadratic, periodic, locally-periodic, linear, random-walk, trend"},
      {"parts", &P::parts, "Simple kernels in a signal, at most", 1, 3},
      {"products", &P::products, "Share of further ones that multiply; others are added", 0, 1},
      {"length_low", &P::length_low, "Length scales begin here, in units of the frame", 1e-6, 1e6},
      {"length_high", &P::length_high, "and end here, in widths of the observed range", 1e-6, 1e6},
      {"period_low", &P::period_low, "Periods begin here, in units of the frame", 1e-6, 1e6},
      {"period_high", &P::period_high, "and end here, in widths of the observed range", 1e-6, 1e6},
      {"no_noise", &P::no_noise, "Share of signals without noise", 0, 1},
      {"noise_low", &P::noise_low, "Deviations of noise begin here, in units of the signal's own", 1e-6, 1e6},
      {"noise_high", &P::noise_high, "and end here", 1e-6, 1e6},
      {"student", &P::student, "Share of signals whose noise has heavy tails (Student-t)", 0, 1},
      {"drifting", &P::drifting, "Share whose noise grows or shrinks along x", 0, 1},
      {"growing", &P::growing, "Share whose noise grows with the signal", 0, 1},
      {"jumps", &P::jumps, "Share with jumps", 0, 1},
      {"changes", &P::changes, "Share that become another signal at some place", 0, 1},
      {"clipped", &P::clipped, "Share whose values are clipped", 0, 1},
      {"rounded", &P::rounded, "Share whose values are rounded", 0, 1},
      {"outliers", &P::outliers, "Share with wrong values among the observed", 0, 1},
      {"gaps", &P::gaps, "Share whose observations have a gap, and again of those that have another", 0, 1},
      {"forecasts", &P::forecasts, "Share of targets beyond the observed range, in three batches of four", 0, 1},
      {"horizon", &P::horizon, "How far beyond, in widths of the range, at most", 1e-3, 1e3},
      {"farthest", &P::farthest,
       "Signals with a value farther from the observed median than so many spreads are drawn anew", 1, 1e6},
      {"tolerance", &P::tolerance, "Deviation, in spreads of the observed, below which the loss asks for none", 1e-6,
       1},
      {"only_gaussian", &P::only_gaussian,
       "Only signals with a known best answer: none of student, growing, outliers, clipped, rounded"},
      {"exact_loss", &P::exact_loss,
       "The loss is its expectation over y, given the context and what the signal was drawn from, where that is known"},
  });
  return table;
}

void check_prior(const SignalPrior& p) {
  parse_kernels(p.kernels);
  if (p.parts < 1 || p.parts > 3) throw Error(fmt::format("parts is {}; a signal has 1 to 3", p.parts));
  check_order("length", p.length_low, 4 * p.length_high);  // widths are 4 or more
  check_order("period", p.period_low, 4 * p.period_high);
  check_order("noise", p.noise_low, p.noise_high);
  for (const auto& [name, share] : {std::pair{"products", p.products},
                                    {"no_noise", p.no_noise},
                                    {"student", p.student},
                                    {"drifting", p.drifting},
                                    {"growing", p.growing},
                                    {"jumps", p.jumps},
                                    {"changes", p.changes},
                                    {"clipped", p.clipped},
                                    {"rounded", p.rounded},
                                    {"outliers", p.outliers},
                                    {"gaps", p.gaps},
                                    {"forecasts", p.forecasts}}) {
    check_share(name, share);
  }
  for (const auto& [name, value] :
       {std::pair{"horizon", p.horizon}, {"farthest", p.farthest}, {"tolerance", p.tolerance}}) {
    if (!base::positive(value)) throw Error(fmt::format("{} is {}; it is above 0", name, value));
  }
}

}  // namespace cmanp::training

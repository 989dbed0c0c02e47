// A mixture of log-normals: what a model says of the time to the next event. In double.
#pragma once

#include <cstddef>
#include <vector>

namespace cmanp::events {

struct LogNormalMixture {
  std::vector<double> weights;     // sum to one
  std::vector<double> means;       // of the logarithm
  std::vector<double> deviations;  // of the logarithm, above zero

  double log_density(double time) const;   // time above zero
  double cdf(double time) const;           // probability of an event by then
  double log_survival(double time) const;  // log probability of none
  double intensity(double time) const;     // density given that none came yet
  double quantile(double share) const;     // the time by which the next event comes with probability `share`
  double mean_up_to(double limit) const;   // of the time to the next event or the limit, whichever comes first
};

// From what a model's head answers, on the standardised log scale of gaps: logits of weights, means and raw deviations
// [3 * components]. Deviations there stay between exp(-5) and exp(3).
LogNormalMixture make_mixture(const std::vector<double>& raw, double log_mean, double log_std);

// The logarithm of a deviation out of its raw value; the training half has the same formula.
double bounded_log_deviation(double raw);

}  // namespace cmanp::events

// What a model's head answers, as the mixture that the public interface knows.
#pragma once

#include <cmanp/events.hpp>
#include <cstddef>
#include <vector>

namespace cmanp::events {

using cmanp::LogNormalMixture;

// From what a model's head answers, on the standardised log scale of gaps: logits of weights, means and raw deviations
// [3 * components]. Deviations there stay between exp(-5) and exp(3).
LogNormalMixture make_mixture(const std::vector<double>& raw, double log_mean, double log_std);

// The logarithm of a deviation out of its raw value; the training half has the same formula.
double bounded_log_deviation(double raw);

}  // namespace cmanp::events

// Classic point processes, fitted by maximum likelihood: baselines that people trust. Times only; marks are predicted
// by how often they came in training (each counted once more than that, so that none is impossible).
#pragma once

#include <vector>

#include "events/metrics.hpp"
#include "events/sequences.hpp"

namespace cmanp::training::events {

using cmanp::events::Sequence;
using cmanp::events::Window;

// Intensity at t: rate + sum over earlier events and kernels of jump * decay * exp(-decay * age). Without kernels, a
// homogeneous Poisson process.
struct HawkesProcess {
  struct Kernel {
    double jump;   // mean number of events that an event brings about
    double decay;  // per unit of time
  };
  double rate = 1;
  std::vector<Kernel> kernels = {};
};

// Log-likelihood of all sequences by the recursion over events, O(n). Where the window has no begin, given the first
// event; where it has no end, up to the last.
double log_likelihood(const HawkesProcess& process, const std::vector<Sequence>& sequences, const Window& window);

HawkesProcess fit_poisson(const std::vector<Sequence>& sequences, const Window& window);
// One exponential kernel, by Nelder and Mead's search over the logarithms of its numbers.
HawkesProcess fit_hawkes(const std::vector<Sequence>& sequences, const Window& window);

// Counts of marks in training, plus one each; empty for unmarked data.
std::vector<double> count_marks(const std::vector<Sequence>& sequences, std::size_t marks);

cmanp::events::EventMetrics evaluate(const HawkesProcess& process, const std::vector<double>& mark_counts,
                                     const std::vector<Sequence>& sequences, const Window& window);

}  // namespace cmanp::training::events

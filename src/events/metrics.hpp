// How well a model predicts events: likelihood, errors, accuracy and calibration, in double.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "events/sequences.hpp"

namespace cmanp::events {

// One event beside what was said of it before it came.
struct ScoredEvent {
  double gap = 0;
  double log_density = 0;     // of the gap
  double cdf = 0;             // of the gap: uniform where the model is right (probability integral transform)
  double mean = 0;            // predicted gap
  double log_mark = 0;        // log probability of its mark; 0 without marks
  std::size_t mark_rank = 0;  // how many marks were held more likely
};

struct EventMetrics {
  std::size_t events = 0, sequences = 0;
  double nll = 0;       // per event: time, mark and what the survival of last intervals costs
  double nll_time = 0;  // with survival
  double nll_mark = 0;
  double rmse = 0;         // root of the mean squared error of predicted mean gaps
  double rmse_public = 0;  // as the public code of Meta-TPP has it: errors are summed over a sequence, then squared
  double accuracy = 0, top5 = 0;
  double ks = 0;                          // Kolmogorov-Smirnov distance of the cdf values from uniform
  double coverage50 = 0, coverage90 = 0;  // share of events in the central intervals of that probability
  std::vector<double> transformed;        // the cdf values, ascending

  struct OfSequence {
    const Sequence* sequence = nullptr;
    std::size_t events = 0;
    double nll = 0;  // of all of them
  };
  std::vector<OfSequence> by_sequence;
};

// By how much one model's NLL is below another's, and the standard error of that, by how sequences differ in it.
struct Lead {
  double nats = 0;              // an event
  std::optional<double> error;  // none of a single sequence
};

// Both of the same sequences. Throws std::invalid_argument where they are not.
Lead lead_of(const EventMetrics& one, const EventMetrics& other);

class MetricsSum {
 public:
  void begin_sequence(const Sequence* sequence = nullptr);
  void add(const ScoredEvent& event);
  void add_survival(double log_survival);

  // Throws Error where there was nothing to score.
  EventMetrics finish();

 private:
  void end_sequence();

  EventMetrics sums_;
  double sequence_error_ = 0;
};

nlohmann::ordered_json to_json(const EventMetrics& metrics, bool marked);

}  // namespace cmanp::events

// How a model sees time: gaps between events on a standardised log scale, and what a token says of when its event came.
// Both halves use these lines, so that a model sees in a stream what it saw in training.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "events/sequences.hpp"

namespace cmanp::events {

// Fitted on training data, kept in the model file; in the data's own unit of time.
struct TimeScale {
  double log_mean = 0;  // of the logarithm of gaps
  double log_std = 1;
  double tie_gap = 1;  // what a gap of zero counts as: the shortest that is not zero
  double span = 1;     // mean duration of a sequence
  double longest_gap = 1;

  // Standardised logarithm of a gap.
  double standardised(double gap) const;
  double typical_gap() const;

  bool operator==(const TimeScale&) const = default;
};

// Gaps are about exp(-600) long at least and exp(600) at most, or their sums and ratios would be no numbers.
inline constexpr double kMostLogGap = 600;

// Throws Error where no gap is above zero: there would be nothing to learn; and where gaps are beyond these bounds.
TimeScale fit_time_scale(const std::vector<Sequence>& sequences, const Window& window);

// When an event came, as far as its sequence knows.
struct EventTime {
  double since_origin = 0;
  double gap = 0;             // since the event before it, or since the origin where that is the window's begin
  bool has_gap = false;       // not of the first event where the clock begins with it
  std::uint64_t earlier = 0;  // how many events came before it
};

// The gap itself; its sines and cosines at four frequencies; time since the origin, likewise at eight; the number of
// earlier events. All within a few units of zero.
inline constexpr std::size_t kTimeFeatures = 28;
void write_time_features(const TimeScale& scale, const EventTime& time, std::span<float, kTimeFeatures> features);

// By how much an event ages those before it: by one event, and by its gap in typical gaps.
struct Ageing {
  double events = 0, time = 0;
};
Ageing ageing_of(const TimeScale& scale, const EventTime& time);

// Of every event of a sequence.
std::vector<EventTime> event_times(const Sequence& sequence, const Window& window);

}  // namespace cmanp::events

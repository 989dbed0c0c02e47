#include "events/time_scale.hpp"

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace cmanp::events {
namespace {

constexpr int kGapFrequencies = 4;
constexpr int kTimeFrequencies = 8;
static_assert(kTimeFeatures == 4 + 2 * (kGapFrequencies + kTimeFrequencies));

// sin and cos of 2^k * pi/4 * x
float* write_waves(double x, int frequencies, float* to) {
  for (int k = 0; k < frequencies; ++k) {
    const double angle = std::ldexp(std::numbers::pi / 4, k) * x;
    *to++ = static_cast<float>(std::sin(angle));
    *to++ = static_cast<float>(std::cos(angle));
  }
  return to;
}

}  // namespace

double TimeScale::typical_gap() const { return std::exp(log_mean); }

double TimeScale::standardised(double gap) const { return (std::log(gap > 0 ? gap : tie_gap) - log_mean) / log_std; }

std::vector<EventTime> event_times(const Sequence& sequence, const Window& window) {
  const double origin = origin_of(window, sequence);
  std::vector<EventTime> times;
  double before = origin;
  for (const double time : sequence.times) {
    const bool has_gap = !times.empty() || window.from.has_value();
    times.push_back({time - origin, time - before, has_gap, times.size()});
    before = time;
  }
  return times;
}

TimeScale fit_time_scale(const std::vector<Sequence>& sequences, const Window& window) {
  double sum = 0, squares = 0, duration = 0, shortest = std::numeric_limits<double>::infinity(), longest = 0;
  std::size_t count = 0, durations = 0;
  for (const Sequence& sequence : sequences) {
    if (sequence.times.empty()) continue;
    duration += window.to.value_or(sequence.times.back()) - origin_of(window, sequence);
    ++durations;
    for (const EventTime& time : event_times(sequence, window)) {
      if (!time.has_gap || !(time.gap > 0)) continue;
      const double value = std::log(time.gap);
      sum += value;
      squares += value * value;
      shortest = std::min(shortest, time.gap);
      longest = std::max(longest, time.gap);
      ++count;
    }
  }
  if (count == 0) throw Error("no two events of a sequence lie apart in time: there is no gap to learn from");
  const auto n = static_cast<double>(count);
  TimeScale scale;
  scale.log_mean = sum / n;
  scale.log_std = std::sqrt(std::max(squares / n - scale.log_mean * scale.log_mean, 1e-6));
  scale.tie_gap = shortest;
  scale.span = duration / static_cast<double>(durations);
  scale.longest_gap = longest;
  for (const double value : {scale.tie_gap, scale.span, scale.longest_gap}) {
    if (!std::isnormal(value) || std::abs(scale.log_mean) > kMostLogGap) {
      throw Error("times between events are too short or too long to compute with; choose another unit of time");
    }
  }
  return scale;
}

void write_time_features(const TimeScale& scale, const EventTime& time, std::span<float, kTimeFeatures> features) {
  constexpr double kFarthest = 6;    // deviations: what lies beyond was seen by no training
  constexpr double kLatest = 1e300;  // times the scale: beyond it waves are no numbers
  float* to = features.data();
  const double gap = time.has_gap ? std::clamp(scale.standardised(time.gap), -kFarthest, kFarthest) : 0.0;
  *to++ = static_cast<float>(gap);
  *to++ = time.has_gap ? 1.0F : 0.0F;
  to = write_waves(gap, kGapFrequencies, to);
  *to++ = static_cast<float>(std::log1p(std::min(time.since_origin / scale.typical_gap(), kLatest)) / 5);
  to = write_waves(std::min(time.since_origin / scale.span, kLatest), kTimeFrequencies, to);
  *to++ = static_cast<float>(std::log1p(static_cast<double>(time.earlier)) / 5);
}

Ageing ageing_of(const TimeScale& scale, const EventTime& time) {
  return {1.0, time.has_gap ? time.gap / scale.typical_gap() : 0.0};
}

}  // namespace cmanp::events

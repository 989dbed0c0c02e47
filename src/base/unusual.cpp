#include "base/unusual.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::base {
namespace {

constexpr std::uint64_t kFirst = 32;     // readings that only say where values lie: nobody knew what to expect
constexpr std::uint64_t kMemory = 5000;  // readings that the long run is about
constexpr std::uint64_t kQuiet = 200;    // readings for which what was told stands
constexpr double kMost = 1000;           // deviations, where hardly anything ever changed
constexpr double kAlarm = 5;             // is an event
constexpr double kUsedTo = 0.1;          // ten events halve the next

constexpr double kLargest = 0.02;  // the share of surprises above the level
constexpr double kLeastExcess = 0.02;
constexpr std::uint64_t kCaution = 20;  // readings that the level's start counts as

constexpr double kWithinNumbers = 1e300;  // differences of such numbers are numbers
double within(double value) { return std::clamp(value, -kWithinNumbers, kWithinNumbers); }

double logarithm(double surprise) { return std::log(std::max(std::abs(within(surprise)), 1e-3)); }

}  // namespace

double UsualPlace::off(double value) const {
  const double distance = std::abs(within(value) - mean);
  return distance == 0 ? 0 : std::min(distance / deviation, kMost);
}

void UsualPlace::add(double value, std::uint64_t count) {
  const double share = 1 / static_cast<double>(std::min(count, kMemory)), distance = within(value) - mean;
  mean += share * distance;
  deviation = std::sqrt(1 - share) * std::hypot(deviation, std::sqrt(share) * distance);
}

// A normal is beyond d deviations about once in e^(d² / 2).
double UsualSurprise::off(double surprise) const {
  const double above = logarithm(surprise) - level;
  return above <= 0 ? 0 : std::sqrt(2 * (above / excess - std::log(kLargest)));
}

void UsualSurprise::add(double surprise, std::uint64_t count) {
  const double size = logarithm(surprise), share = 1 / static_cast<double>(std::min(count + kCaution, kMemory));
  const bool above = size > level;
  level += share * excess * ((above ? 1 : 0) - kLargest) / kLargest;
  if (!above) return;
  exceeded = std::min(exceeded + 1, kLargest * kMemory);
  excess = std::max(excess + (std::max(size - level, 0.0) - excess) / exceeded, kLeastExcess);
}

double Unusual::size(double value, double surprising) const {
  if (count < kFirst) return 0;
  return std::max(place.off(value), surprise.off(surprising)) / (1 + kUsedTo * events);
}

double Unusual::of(double value, double surprising) const {
  const double now = size(value, surprising);
  return now > told ? now : 0;
}

void Unusual::add(double value, double surprising) {
  const double now = size(value, surprising);
  events *= 1 - 1.0 / kMemory;
  if (now > told) {
    if (now > kAlarm && told <= kAlarm) ++events;
    told = now;
    quiet = 0;
  } else if (++quiet >= kQuiet) {
    told = 0;
  }
  ++count;
  place.add(value, count);
  if (count > kFirst) surprise.add(surprising, count - kFirst);
}

}  // namespace cmanp::base

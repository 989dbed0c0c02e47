// Sequences to try things on: a Hawkes process in which events bring about others, of their own kind more often than
// not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "events/sequences.hpp"

namespace cmanp::events {

struct Cascades {
  double rate = 0.2;      // of events that come by themselves, per unit of time
  double jump = 0.8;      // events that each event brings about, on average; below 1
  double decay = 1;       // one over the mean time until they come
  double until = 100;     // where watching ends
  std::size_t marks = 0;  // kinds of events; 0: unmarked
  double loyalty = 0.8;   // probability that an event brought about has its parent's mark; else it has any

  double expected_events() const { return rate * until / (1 - jump); }  // of a sequence, at most
};

// Sequence number `number`, the same for the same seed on every machine. It has one event at least.
Sequence simulate(const Cascades& process, std::uint64_t seed, std::uint64_t number);

}  // namespace cmanp::events

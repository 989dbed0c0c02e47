// How far out of the ordinary a reading of a stream is, in deviations: by where it lies, beside all that lay before it,
// and by how much it surprises whoever expected it, beside all that surprised before; the greater of both. An event is
// told once: for a while only what is more counts. And the more events there were, the less is one more. A few numbers,
// however long the stream. How the constants were chosen: docs/universal.md.
#pragma once

#include <cstdint>

namespace cmanp::base {

// Where values lie in the long run.
struct UsualPlace {
  double mean = 0, deviation = 0;

  double off(double value) const;               // in deviations
  void add(double value, std::uint64_t count);  // the count-th, from 1
};

// How large surprises are in the long run, of those that belong to the largest: above a level, their logarithms fall
// off exponentially. So bursts that come again and again are not rare, and a single one amid calm is.
struct UsualSurprise {
  double level = 0.8458682675776092;  // logarithm; at first, of a normal: 2.33
  double excess = 0.15;               // above it, on average
  double exceeded = 10;               // as many times, which the start stands for

  double off(double surprise) const;  // in deviations of a normal that are as rare
  void add(double surprise, std::uint64_t count);
};

struct Unusual {
  std::uint64_t count = 0;
  UsualPlace place;
  UsualSurprise surprise;
  double told = 0;          // the most that was told of late
  std::uint64_t quiet = 0;  // readings since
  double events = 0;        // in the long run

  // Of a value that is yet to be added, and by how many deviations it is off what was expected. 0 of the first few, and
  // of what is no more than what was told of late.
  double of(double value, double surprising) const;
  void add(double value, double surprising);

 private:
  double size(double value, double surprising) const;
};

}  // namespace cmanp::base

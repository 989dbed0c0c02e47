// Clocks to time work by, in seconds since a time that does not matter. What else the machine does is part of the
// wall's alone.
#pragma once

#include <time.h>

namespace cmanp::base {

inline double seconds_by(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double seconds_on_the_wall() { return seconds_by(CLOCK_MONOTONIC); }
inline double seconds_of_thread() { return seconds_by(CLOCK_THREAD_CPUTIME_ID); }    // of the processor
inline double seconds_of_process() { return seconds_by(CLOCK_PROCESS_CPUTIME_ID); }  // of all its threads

}  // namespace cmanp::base

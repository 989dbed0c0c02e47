// A time as a number of steps. A number of them is all that a run knows, so that it is as repeatable as any other.
#pragma once

#include <cstdint>
#include <functional>

#include "runs/problem.hpp"

namespace cmanp::runs {

// Seconds a call of `round` by the clock `now` (base/seconds.hpp), out of `seconds` of calls or more: the median.
double median_seconds(const std::function<void()>& round, double seconds, double (*now)());

// How long a step of the problem takes on this machine at rest, by taking some: what it learns by them is for nothing.
double seconds_a_step(Problem& problem, double seconds);

// As many steps as fit into the minutes, but more than `warmup`; `note` is told. The time of evaluations is not in it.
std::int64_t steps_within(double minutes, Problem& problem, std::int64_t warmup,
                          const std::function<void(const std::string&)>& note);

}  // namespace cmanp::runs

// How fast something runs beside what the machine can do at that moment. Neighbours on a shared machine slow both down,
// from one tenth of a second to the next: so peak and work are timed in turns, and compared with each other in each.
#pragma once

#include <cstddef>
#include <functional>

#include "cli/options.hpp"

namespace cmanp::cli {

// Medians over all turns.
struct BesidePeak {
  double seconds = 0;          // a call, by the clock
  double peak_gflops = 0;      // of `threads` threads at once
  double calls_per_gflop = 0;  // of the peak around it

  double fraction(double multiply_adds_a_call) const { return 2e-9 * multiply_adds_a_call * calls_per_gflop; }
};

// --instructions: which the kernels run on; what is timed, and the peak beside it. Empty: the best of the machine's.
CLI::Option* add_instructions(CLI::App* verb, std::string& name);
void use_instructions(const std::string& name);

// In about so many seconds, but at least three turns. The first call warms up.
BesidePeak time_beside_peak(const std::function<void()>& call, double seconds, std::size_t threads);

}  // namespace cmanp::cli
